// A memory of another axis than the score was made for.
// EXPECT: linear_input_axis_not_in_tensor
// EXPECT: Hidden
// EXPECT: Tensor<Source, Batch, Half>
#include "layers/scores.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const GeneralScore<Half, Hidden>& score, Var<float, Source, Batch, Hidden> h,
             Var<float, Source, Batch, Half> other) {
#ifdef MISTAKE
  auto keys = score.keys(other);
#else
  auto keys = score.keys(h);
#endif
}
