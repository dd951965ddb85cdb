// The memory is as long as the source, not as the target.
// EXPECT: contract_axis_not_in_left_operand
// EXPECT: Tensor<Target>
// EXPECT: Tensor<Source, Batch>
#include "autodiff/contract.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e, Var<float, Source, Batch, Hidden> memory) {
#ifdef MISTAKE
  Var context = contract<Target>(e, memory);
#else
  Var context = contract<Source>(e, memory);
#endif
}
