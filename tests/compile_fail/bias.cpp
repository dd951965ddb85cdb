// A bias over another axis than the product.
// EXPECT: operation_needs_one_operands_axes_inside_the_others
// EXPECT: Add
// EXPECT: Tensor<Batch, Hidden>
// EXPECT: Tensor<In>
#include "autodiff/contract.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, In> x, Var<float, In, Hidden> w, const Bias<In>& b, const Bias<Hidden>& c) {
#ifdef MISTAKE
  Var y = contract<In>(x, w) + b;
#else
  Var y = contract<In>(x, w) + c;
#endif
}
