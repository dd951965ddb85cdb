// 14. Find the bug: gates in another order
//
// A matrix of an LSTM has four blocks of rows, one for each gate, and each is H x columns. PyTorch keeps the
// blocks in the order input, forget, candidate, output; this library in the order forget, input, candidate,
// output. Weights that were trained there are read in here, and the net talks nonsense: no size is wrong.
#include <vector>

using Vector = std::vector<double>;

/// The same matrix with its blocks in this library's order
Vector from_pytorch(const Vector& theirs, std::size_t hidden, std::size_t columns) {
  const std::size_t place[] = {0, 1, 2, 3};  // of our forget, input, candidate, output among their blocks
  const std::size_t block = hidden * columns;
  Vector ours;
  for (const std::size_t p : place)
    for (std::size_t k = 0; k < block; ++k) ours.push_back(theirs[p * block + k]);
  return ours;
}
