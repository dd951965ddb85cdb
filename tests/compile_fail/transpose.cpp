// Another order of other axes.
// EXPECT: transpose_needs_the_same_axes_in_another_order
// EXPECT: Tensor<In, Batch>
// EXPECT: Tensor<Batch, Hidden>
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  auto t = transpose<In, Batch>(h);
#else
  auto t = transpose<Hidden, Batch>(h);
#endif
}
