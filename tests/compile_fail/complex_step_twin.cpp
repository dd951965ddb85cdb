// A module that is checked by the complex step is followed by its twin in complex numbers.
// EXPECT: check_complex_step_needs_modules_in_double_each_with_its_twin_in_complex
// EXPECT: Lstm
#include "autodiff/complex_step.hpp"
#include "layers/lstm.hpp"

struct In : hindsight::Axis<4> {};
struct Hidden : hindsight::Axis<4> {};

#ifdef MISTAKE
using Scalar = double;
#else
using Scalar = hindsight::Complex;
#endif

bool check(hindsight::Lstm<In, Hidden, double>& cell) {
  return hindsight::check_complex_step([](const auto& m) { return m.bias * 2; }, cell,
                                       hindsight::Lstm<In, Hidden, Scalar>())
      .ok();
}
