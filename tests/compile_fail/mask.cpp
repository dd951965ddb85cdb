// A mask over the target on scores over the source.
// EXPECT: mask_needs_axes_of_the_tensor
// EXPECT: Tensor<Target, Batch>
// EXPECT: Tensor<Source, Batch>
#include "autodiff/reductions.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e, Var<float, Target, Batch> d) {
#ifdef MISTAKE
  Var a = softmax<Source>(e, d);
#else
  Var a = softmax<Source>(e, e);
#endif
}
