// Sums of float and double.
// EXPECT: operation_does_not_mix_float_and_double
// EXPECT: Add
// EXPECT: Var<float, Batch>
// EXPECT: Var<double, Batch>
#include "autodiff/elementwise.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch> a, Var<double, Batch> b) {
#ifdef MISTAKE
  Var y = a + b;
#else
  Var y = b + b;
#endif
}
