// A loss is a scalar, written out too.
// EXPECT: backward_needs_a_scalar_loss_or_a_seed
// EXPECT: Tensor<Batch, Hidden>
#include "autodiff/backward.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h, Var<float> loss) {
#ifdef MISTAKE
  backward(h * loss);
#else
  backward(loss * 2);
#endif
}
