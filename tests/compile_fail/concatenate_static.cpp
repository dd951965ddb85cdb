// A static axis does not get longer.
// EXPECT: concatenate_along_one_axis_needs_it_dynamic
// EXPECT: Hidden
// EXPECT: Tensor<Batch, Hidden>
#include "autodiff/join.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  auto hh = concatenate<Hidden>(h, h);
#else
  auto hh = concatenate<Hidden, Hidden>(h, h);
#endif
}
