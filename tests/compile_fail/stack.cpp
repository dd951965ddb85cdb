// The tensors have the new axis already.
// EXPECT: stack_axis_already_in_tensor
// EXPECT: Source
// EXPECT: Tensor<Source, Batch>
#include "autodiff/join.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const std::vector<Var<float, Source, Batch>>& parts) {
#ifdef MISTAKE
  auto all = stack<Source>(parts);
#else
  auto all = stack<Target>(parts);
#endif
}
