// The axes beside the joined ones differ.
// EXPECT: concatenate_needs_the_same_other_axes
// EXPECT: Tensor<Batch, In>
// EXPECT: Tensor<Source, Hidden>
#include "autodiff/join.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, In> x, Var<float, Batch, Hidden> h, Var<float, Source, Hidden> m) {
#ifdef MISTAKE
  auto xh = concatenate<In, Hidden>(x, m);
#else
  auto xh = concatenate<In, Hidden>(x, h);
#endif
}
