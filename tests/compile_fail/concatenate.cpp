// An axis of the list is not in its tensor.
// EXPECT: concatenate_axis_not_in_tensor
// EXPECT: Tensor<In, Hidden>
// EXPECT: Tensor<Batch, Hidden>
#include "autodiff/join.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, In> x, Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  auto xh = concatenate<In, Hidden>(h, x);
#else
  auto xh = concatenate<In, Hidden>(x, h);
#endif
}
