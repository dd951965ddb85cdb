// A part of a static axis needs an axis of its own.
// EXPECT: slice_of_a_static_axis_needs_an_axis_for_the_part
// EXPECT: Hidden
// EXPECT: Tensor<Batch, Hidden>
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  auto part = slice<Hidden>(h, 0, 64);
#else
  auto part = slice<Hidden, Half>(h, 0);
#endif
}
