// A score is of one query at a time: all steps of the target at once mix up the two time axes.
// EXPECT: score_query_axis_not_in_keys
// EXPECT: Tensor<Target>
// EXPECT: Tensor<Source, Batch, Hidden>
#include "layers/scores.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const DotScore<Hidden>& score, Var<float, Source, Batch, Hidden> keys, Var<float, Batch, Hidden> s,
             Var<float, Target, Batch, Hidden> all) {
#ifdef MISTAKE
  auto e = score(all, keys);
#else
  auto e = score(s, keys);
#endif
}
