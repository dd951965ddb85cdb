// 29. Choose: which task does not feel the bottleneck?
//
// An encoder reads T symbols, each one of S, all equally likely, and keeps a vector. A decoder sees the vector
// alone. How many bits must pass, at least, for each task to be done without a mistake? The sequences are
// equally long in all of them.
#include <cmath>

enum class Task {
  recite,       // write all T symbols
  last_symbol,  // say the last one
  parity,       // say whether the first symbol of the alphabet came an even number of times
  told_before,  // the source begins with a number k: say the k-th symbol
  told_after,   // say the k-th symbol; k is told to the decoder, when the source has been read
};

double bits(Task task, double S, double T) {
  switch (task) {
    // The vector must tell apart the sources that some later question tells apart, and no others. Length is no burden
    // where it is known in time what to keep; told after, everything might be asked for.
    case Task::recite: return T * std::log2(S);
    case Task::last_symbol: return std::log2(S);
    case Task::parity: return 1;
    case Task::told_before: return std::log2(S);
    case Task::told_after: return T * std::log2(S);
  }
  return 0;
}
