// The mean of an expression over an axis it does not have.
// EXPECT: mean_axis_not_in_tensor
// EXPECT: Tensor<Hidden>
// EXPECT: Tensor<Source, Batch>
#include "autodiff/reductions.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  Var a = mean<Hidden>(tanh(e) * 2);
#else
  Var a = mean<Source>(tanh(e) * 2);
#endif
}
