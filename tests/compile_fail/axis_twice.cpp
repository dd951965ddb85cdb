// A tensor has each axis once.
// EXPECT: tensor_has_an_axis_twice
// EXPECT: Tensor<Source, Source>
#include "autodiff/var.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake() {
#ifdef MISTAKE
  Var<float, Source, Source> square;
#else
  Var<float, Source, Next<Source>> square;
#endif
}
