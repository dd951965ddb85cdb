// Sequences of other axes, one after the other.
// EXPECT: concatenate_needs_the_same_other_axes
// EXPECT: Tensor<Source, Batch>
// EXPECT: Tensor<Source, Hidden>
#include "autodiff/join.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e, Var<float, Source, Hidden> m) {
#ifdef MISTAKE
  auto em = concatenate<Source>(e, m);
#else
  auto em = concatenate<Source>(e, e);
#endif
}
