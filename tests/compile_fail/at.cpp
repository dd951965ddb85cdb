// A step of the other time axis.
// EXPECT: at_axis_not_in_tensor
// EXPECT: Target
// EXPECT: Tensor<Source, Batch>
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  auto first = at<Target>(e, 0);
#else
  auto first = at<Source>(e, 0);
#endif
}
