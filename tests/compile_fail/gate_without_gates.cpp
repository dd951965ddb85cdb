// A gate of a tensor that has none.
// EXPECT: gate_is_not_one_of_the_tensors_gates
// EXPECT: Forget
// EXPECT: Tensor<Batch, Hidden>
#include "autodiff/views.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Forget;
struct Input;
struct Reset;

void mistake(Var<float, Batch, Hidden> h, Var<float, Batch, Gates<Hidden, Forget>> z) {
#ifdef MISTAKE
  Var f = gate<Forget>(h) * 1;
#else
  Var f = gate<Forget>(z) * 1;
#endif
}
