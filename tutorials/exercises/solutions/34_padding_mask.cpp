// 34. Find the bug: a batch of sentences of different lengths
//
//     alpha_{t,i} = softmax over i of e_{t,i}        c_t = sum_i alpha_{t,i} h_i
//
// Sentences of a batch are padded to one length; mask is 1 where a position is real, and 0 where it is padding.
// The longer the other sentences of its batch are, the worse a short one is translated. A read of the library
// takes a mask as its last argument.
#include "autodiff/reductions.hpp"

template <class Source, class Scores, class Mask, class States>
auto read(const Scores& e, const Mask& mask, const States& h) {
  using namespace hindsight;
  // Inside of the softmax: a weight of 0, and the others still sum to 1. (alpha * mask afterwards would leave less.)
  Var alpha = softmax<Source>(e, mask);
  return Var(contract<Source>(alpha, h));
}
