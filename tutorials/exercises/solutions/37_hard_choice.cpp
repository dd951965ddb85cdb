// 37. Find the bug: a read that does not learn where to look
//
//     c = sum_i alpha_i h_i
//
// The state with the largest score is surely the best one, so this takes it and leaves the others: alpha is 1
// there, else 0. The net is trained, and the scores stay what they were on the first day.
#include "autodiff/reductions.hpp"

template <class Source, class Batch, class Scores, class States>
auto read(const Scores& e, const States& h) {
  using namespace hindsight;
  // A little more of a score, and the arg max is the same: its slope is 0, and at the jump there is none. In a
  // weighted sum every score has a slope, alpha_j g . (h_j - c), and learns from how well its state would have
  // served.
  Var alpha = softmax<Source>(e);
  return Var(contract<Source>(alpha, h));
}
