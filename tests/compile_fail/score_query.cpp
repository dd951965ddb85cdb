// A query of another axis than the score was made for.
// EXPECT: score_axis_not_in_query
// EXPECT: Half
// EXPECT: Tensor<Batch, Hidden>
#include "layers/scores.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const AdditiveScore<Half, Hidden, In>& score, Var<float, Source, Batch, In> keys, Var<float, Batch, Half> s,
             Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  auto e = score(h, keys);
#else
  auto e = score(s, keys);
#endif
}
