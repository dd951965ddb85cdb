// How long is an axis that is not there?
// EXPECT: extent_axis_not_in_tensor
// EXPECT: Target
// EXPECT: Tensor<Source, Batch>
#include "autodiff/var.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  (void)e.extent<Target>();
#else
  (void)e.extent<Source>();
#endif
}
