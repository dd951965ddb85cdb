// What the complex step checks takes modules by reference: the parameters of a copy are others.
// EXPECT: check_complex_step_needs_f_to_take_modules_by_const_reference_and_then_inputs
// EXPECT: Lstm
#include "autodiff/complex_step.hpp"
#include "layers/lstm.hpp"

struct In : hindsight::Axis<4> {};
struct Hidden : hindsight::Axis<4> {};

#ifdef MISTAKE
constexpr auto doubled = [](auto cell) { return cell.bias * 2; };
#else
constexpr auto doubled = [](const auto& cell) { return cell.bias * 2; };
#endif

bool check(hindsight::Lstm<In, Hidden, double>& cell) {
  return hindsight::check_complex_step(doubled, cell, hindsight::Lstm<In, Hidden, hindsight::Complex>()).ok();
}
