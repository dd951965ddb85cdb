// The source's mask over a memory that is as long as the target.
// EXPECT: mask_needs_axes_of_the_tensor
// EXPECT: Tensor<Source, Batch>
// EXPECT: Tensor<Target, Batch, Hidden>
#include "layers/reads.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const Attention<DotScore<Hidden>>& read, Var<float, Source, Batch> mask,
             Var<float, Source, Batch, Hidden> h, Var<float, Target, Batch, Hidden> s) {
#ifdef MISTAKE
  auto memory = read.remember(s, mask);
#else
  auto memory = read.remember(h, mask);
#endif
}
