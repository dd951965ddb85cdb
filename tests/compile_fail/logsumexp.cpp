// The two time axes mixed up.
// EXPECT: logsumexp_axis_not_in_tensor
// EXPECT: Tensor<Target>
// EXPECT: Tensor<Source, Batch>
#include "autodiff/reductions.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e) {
#ifdef MISTAKE
  Var a = logsumexp<Target>(e);
#else
  Var a = logsumexp<Source>(e);
#endif
}
