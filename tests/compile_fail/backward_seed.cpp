// A seed has the axes of the result.
// EXPECT: backward_seed_needs_the_axes_of_the_result
// EXPECT: Var<float, Batch, Hidden>
// EXPECT: Var<float, Batch, In>
#include "autodiff/backward.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h, Var<float, Batch, In> x) {
#ifdef MISTAKE
  backward(h, x);
#else
  backward(h, h);
#endif
}
