// 35. Complete: the additive score
//
//     e_i = v . tanh(W s + U h_i + b)
//
// `score` is an AdditiveScore of the library: score.from_query(s) is W s + b, score.from_memory(h) is U h_i for
// all i at once, score.v is v. The query s is Batch x Query, the memory h Source x Batch x Memory, and the sum
// v . is over the axis Inner. A sum of the two is broadcast by the names of its axes.
#include "layers/scores.hpp"

template <class Inner, class Score, class S, class H>
auto additive_score(const Score& score, const S& s, const H& h) {
  using namespace hindsight;
  Var query = score.from_query(s);
  Var keys = score.from_memory(h);
  return Var(contract<Inner>(tanh(keys), score.v));  // HERE
}
