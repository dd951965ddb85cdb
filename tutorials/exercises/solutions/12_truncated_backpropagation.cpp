// 12. Find the bug: truncated backpropagation through time
//
// A long sequence is run in windows. The state is carried over from one to the next, but the gradient is to end
// where a window begins: detach(v) is the value of v, cut off from its past. The windows here are correct in
// their values, and the gradient of the last one reaches back to the first step all the same. (Then memory
// grows with the sequence.)
#include <vector>

#include "layers/lstm.hpp"

/// The last state of an LSTM `cell` that is run over the inputs xs in windows of so many steps
template <class Cell, class X, class S>
S run_in_windows(const Cell& cell, const std::vector<X>& xs, S state, std::size_t window) {
  using namespace hindsight;
  for (std::size_t t = 0; t < xs.size(); ++t) {
    // An LSTM carries two vectors, and c is the one through which a gradient travels far. (The library's own
    // detach(state) cuts them all.)
    if (t % window == 0) state = State{detach(state.h), detach(state.c)};
    state = cell(xs[t], state);
  }
  return state;
}
