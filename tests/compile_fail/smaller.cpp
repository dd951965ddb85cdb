// The smaller of two, element by element.
// EXPECT: operation_needs_one_operands_axes_inside_the_others
// EXPECT: Minimum
// EXPECT: Tensor<Batch, Hidden>
// EXPECT: Tensor<Batch, In>
#include "autodiff/elementwise.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h, Var<float, Batch, In> x) {
#ifdef MISTAKE
  Var y = min(h, x);
#else
  Var y = min(h, h);
#endif
}
