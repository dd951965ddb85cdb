// A tensor has each axis once.
// EXPECT: rename_axis_already_in_tensor
// EXPECT: Source
// EXPECT: Tensor<Source, Target>
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Target> a) {
#ifdef MISTAKE
  auto b = rename<Target, Source>(a);
#else
  auto b = rename<Target, Next<Source>>(a);
#endif
}
