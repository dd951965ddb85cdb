// A model that the function holds a copy of, which would get the gradients.
// EXPECT: checkpoint_keeps_a_copy_of_the_function_so_it_must_own_nothing_and_capture_modules_by_reference
#include "autodiff/checkpoint.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const Bias<Hidden>& bias, const Var<float, Batch, Hidden>& h) {
#ifdef MISTAKE
  checkpoint([bias](const auto& in) { return in + bias; }, h);
#else
  checkpoint([&bias](const auto& in) { return in + bias; }, h);
#endif
}
