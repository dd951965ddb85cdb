// A function that returns a number.
// EXPECT: checkpoint_needs_a_function_that_returns_variables<double>
#include "autodiff/checkpoint.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const Var<double>& x) {
#ifdef MISTAKE
  checkpoint([](const auto& in) { return in.item(); }, x);
#else
  checkpoint([](const auto& in) { return in * 2; }, x);
#endif
}
