// The two time axes mixed up.
// EXPECT: softmax_axis_not_in_tensor
// EXPECT: Target
// EXPECT: Tensor<Source, Batch>
#include "autodiff/reductions.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  Var a = softmax<Target>(e);
#else
  Var a = softmax<Source>(e);
#endif
}
