// A linear map from another axis.
// EXPECT: linear_input_axis_not_in_tensor
// EXPECT: In
// EXPECT: Tensor<Batch, Hidden>
#include "layers/linear.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const Linear<In, Hidden>& linear, Var<float, Batch, In> x, Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  Var y = linear(h);
#else
  Var y = linear(x);
#endif
}
