// A static axis renamed to one of another length.
// EXPECT: rename_needs_axes_of_the_same_extent
// EXPECT: Hidden
// EXPECT: In
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Batch, Hidden> h) {
#ifdef MISTAKE
  auto x = rename<Hidden, In>(h);
#else
  auto x = rename<Hidden, Next<Hidden>>(h);
#endif
}
