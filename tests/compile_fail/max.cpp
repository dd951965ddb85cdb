// The largest score over the other time axis.
// EXPECT: max_axis_not_in_tensor
// EXPECT: Tensor<Target>
// EXPECT: Tensor<Source, Batch>
#include "autodiff/reductions.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  Var a = max<Target>(e);
#else
  Var a = max<Source>(e);
#endif
}
