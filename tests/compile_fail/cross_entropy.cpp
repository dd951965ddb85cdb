// The classes are not among the axes.
// EXPECT: cross_entropy_axis_not_in_tensor
// EXPECT: Class
// EXPECT: Tensor<Batch, Hidden>
#include "autodiff/loss.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h, Var<float, Batch, Class> logits, std::span<const std::int32_t> targets) {
#ifdef MISTAKE
  Var loss = cross_entropy<Class>(h, targets);
#else
  Var loss = cross_entropy<Class>(logits, targets);
#endif
}
