// A part of the other time axis.
// EXPECT: slice_axis_not_in_tensor
// EXPECT: Target
// EXPECT: Tensor<Source, Batch>
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  auto part = slice<Target>(e, 0, 2);
#else
  auto part = slice<Source>(e, 0, 2);
#endif
}
