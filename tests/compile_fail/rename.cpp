// The axis to rename is not there.
// EXPECT: rename_axis_not_in_tensor
// EXPECT: Target
// EXPECT: Tensor<Source, Batch>
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  auto d = rename<Target, Source>(e);
#else
  auto d = rename<Source, Target>(e);
#endif
}
