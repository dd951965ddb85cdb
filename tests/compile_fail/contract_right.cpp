// The weights are over the source, the states over the target.
// EXPECT: contract_axis_not_in_right_operand
// EXPECT: Tensor<Source>
// EXPECT: Tensor<Target, Batch, Hidden>
#include "autodiff/contract.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(Var<float, Source, Batch> e, Var<float, Target, Batch, Hidden> states) {
#ifdef MISTAKE
  Var context = contract<Source>(e, states);
#else
  Var context = contract<Batch>(e, states);
#endif
}
