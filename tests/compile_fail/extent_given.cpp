// An extent for an axis that the tensor does not have.
// EXPECT: extent_given_for_an_axis_not_in_tensor
// EXPECT: Target
// EXPECT: Tensor<Source, Batch>
#include "autodiff/variable.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(std::span<const float> values) {
#ifdef MISTAKE
  auto e = variable<Source, Batch>(values, extent<Target>(3));
#else
  auto e = variable<Source, Batch>(values, extent<Source>(3));
#endif
}
