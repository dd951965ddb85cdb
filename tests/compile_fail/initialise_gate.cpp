// The forget bias of a cell without a forget gate.
// EXPECT: initialise_gate_is_not_one_of_the_gates
// EXPECT: Forget
// EXPECT: Gates<Hidden, Reset, Input>
#include "autodiff/initialise.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Forget;
struct Input;
struct Reset;

void mistake(Bias<Gates<Hidden, Reset, Input>>& bias) {
#ifdef MISTAKE
  initialise_gate<Forget>(bias, 1);
#else
  initialise_gate<Input>(bias, 1);
#endif
}
