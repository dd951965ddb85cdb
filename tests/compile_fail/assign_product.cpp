// A variable of other axes than a product.
// EXPECT: assignment_needs_the_same_axes
// EXPECT: Var<float, Batch, In>
// EXPECT: Var<float, Batch, Hidden>
#include "autodiff/contract.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, In> x, Var<float, In, Hidden> w) {
#ifdef MISTAKE
  Var<float, Batch, In> y = contract<In>(x, w);
#else
  Var<float, Batch, Hidden> y = contract<In>(x, w);
#endif
}
