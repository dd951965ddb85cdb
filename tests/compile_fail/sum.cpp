// One of the axes is not there.
// EXPECT: sum_axis_not_in_tensor
// EXPECT: Tensor<Batch, Target>
// EXPECT: Tensor<Source, Batch>
#include "autodiff/reductions.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  Var a = sum<Batch, Target>(e);
#else
  Var a = sum<Batch, Source>(e);
#endif
}
