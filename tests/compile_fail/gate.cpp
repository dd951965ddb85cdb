// A gate of another cell.
// EXPECT: gate_is_not_one_of_the_tensors_gates
// EXPECT: Reset
// EXPECT: Tensor<Batch, 
// EXPECT: Gates<Hidden, Forget, Input>
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Forget;
struct Input;
struct Reset;

void mistake(Var<float, Batch, Gates<Hidden, Forget, Input>> z) {
#ifdef MISTAKE
  Var r = gate<Reset>(z) * 1;
#else
  Var r = gate<Input>(z) * 1;
#endif
}
