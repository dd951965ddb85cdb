// The branches of a choice nest, as in an addition.
// EXPECT: select_needs_one_branchs_axes_inside_the_others
// EXPECT: Tensor<Batch, Hidden>
// EXPECT: Tensor<Batch, In>
#include "autodiff/select.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h, Var<float, Batch, In> x, Var<float, Batch> mask) {
#ifdef MISTAKE
  Var y = select(mask, h, x);
#else
  Var y = select(mask, h, h);
#endif
}
