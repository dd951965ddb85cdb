// The best class over an axis that is not the classes.
// EXPECT: argmax_axis_not_in_tensor
// EXPECT: Hidden
// EXPECT: Tensor<Batch, Class>
#include "autodiff/reductions.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Class> logits) {
#ifdef MISTAKE
  argmax<Hidden>(logits);
#else
  argmax<Class>(logits);
#endif
}
