// The larger of two, element by element.
// EXPECT: operation_needs_one_operands_axes_inside_the_others
// EXPECT: Maximum
// EXPECT: Tensor<Source, Batch>
// EXPECT: Tensor<Target>
#include "autodiff/elementwise.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e, Var<float, Target> d) {
#ifdef MISTAKE
  Var y = max(e, d);
#else
  Var y = max(e, 0);
#endif
}
