// Neither operand's axes are inside the other's.
// EXPECT: operation_needs_one_operands_axes_inside_the_others
// EXPECT: Multiply
// EXPECT: Tensor<Source, Batch>
// EXPECT: Tensor<Target, Batch>
#include "autodiff/elementwise.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e, Var<float, Target, Batch> d) {
#ifdef MISTAKE
  Var y = e * d;
#else
  Var y = e * e;
#endif
}
