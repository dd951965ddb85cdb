// Turning round an axis that is not there.
// EXPECT: reverse_axis_not_in_tensor
// EXPECT: Target
// EXPECT: Tensor<Source, Batch>
#include "autodiff/join.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  auto back = reverse<Target>(e);
#else
  auto back = reverse<Source>(e);
#endif
}
