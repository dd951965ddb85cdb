// An attention is asked by one step of the target, not by all of them.
// EXPECT: score_query_axis_not_in_keys
// EXPECT: Tensor<Target>
// EXPECT: Tensor<Source, Batch, Hidden>
#include "layers/reads.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const Attention<DotScore<Hidden>>& read, Var<float, Source, Batch, Hidden> states,
             Var<float, Batch, Hidden> s, Var<float, Target, Batch, Hidden> all) {
#ifdef MISTAKE
  auto look = read(all, read.remember(states));
#else
  auto look = read(s, read.remember(states));
#endif
}
