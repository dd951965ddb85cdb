// 28. Find the bug: a decoder that is better than it is
//
// In training a decoder is fed the right symbol of the step before (teacher forcing). Here it is to be measured
// how many symbols it writes rightly by itself. The figure is 99 %, and whoever uses the net sees nonsense
// after the first mistake.
#include <functional>
#include <vector>

/// What the decoder writes, as many symbols as there are targets; decoder(y) is its answer to the symbol before, y
std::vector<int> write(const std::function<int(int)>& decoder, const std::vector<int>& targets, int bos) {
  std::vector<int> written;
  int before = bos;
  for (const int target : targets) {
    written.push_back(decoder(before));
    before = target;
  }
  return written;
}
