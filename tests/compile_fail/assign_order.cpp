// A variable of the same axes in another order.
// EXPECT: assignment_needs_the_same_axes
// EXPECT: Var<float, Hidden, Batch>
// EXPECT: Var<float, Batch, Hidden>
#include "autodiff/elementwise.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  Var<float, Hidden, Batch> y = h * 2;
#else
  Var<float, Batch, Hidden> y = h * 2;
#endif
}
