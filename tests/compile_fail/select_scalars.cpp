// A choice between float and double.
// EXPECT: select_does_not_mix_float_and_double
// EXPECT: Var<double, Batch>
// EXPECT: Var<float, Batch, Hidden>
#include "autodiff/select.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h, Var<double, Batch> mask, Var<float, Batch> kept) {
#ifdef MISTAKE
  Var y = select(mask, h, 0);
#else
  Var y = select(kept, h, 0);
#endif
}
