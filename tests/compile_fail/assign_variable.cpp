// A variable of other axes than the variable it is given.
// EXPECT: assignment_needs_the_same_axes
// EXPECT: Var<float, Batch, In>
// EXPECT: Var<float, Batch, Hidden>
#include "autodiff/elementwise.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  Var<float, Batch, In> y = h;
#else
  Var<float, Batch, Hidden> y = h;
#endif
}
