// A mask over the source does not choose between states.
// EXPECT: select_needs_the_masks_axes_inside_the_branches
// EXPECT: Tensor<Source, Batch>
// EXPECT: Tensor<Batch, Hidden>
#include "autodiff/select.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e, Var<float, Batch, Hidden> h, Var<float, Batch> mask) {
#ifdef MISTAKE
  Var y = select(e, h, 0);
#else
  Var y = select(mask, h, 0);
#endif
}
