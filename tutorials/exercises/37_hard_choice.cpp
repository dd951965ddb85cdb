// 37. Find the bug: a read that does not learn where to look
//
//     c = sum_i alpha_i h_i
//
// The state with the largest score is surely the best one, so this takes it and leaves the others: alpha is 1
// there, else 0. The net is trained, and the scores stay what they were on the first day.
#include <vector>

#include "autodiff/reductions.hpp"

template <class Source, class Batch, class Scores, class States>
auto read(const Scores& e, const States& h) {
  using namespace hindsight;
  const auto best = argmax<Source>(e);  // a position for each sentence
  std::vector<double> choice(e.size(), 0.0);
  for (std::size_t b = 0; b < best.size(); ++b) choice[static_cast<std::size_t>(best[b]) * best.size() + b] = 1;
  Var alpha = constant<Source, Batch>(choice);
  return Var(contract<Source>(alpha, h));
}
