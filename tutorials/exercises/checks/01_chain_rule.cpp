// EXPECTED: slope(x) returns dy/dx of y = sin(x) x^2, added up from two statements.
// HINT: y = sin(x) * v reads x directly. Its derivative by x, with v held apart, has v in it; multiply by a_y.
// SHIPPED: That is only what comes through v
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (const double x : noise(8, 1, 3)) {
    const auto y = [](double at) { return std::sin(at) * at * at; };
    const double numeric = (y(x + 1e-5) - y(x - 1e-5)) / 2e-5;
    const std::string dy_dx = text("dy/dx at x = %.3f", x);
    compare("walking the tape", {dy_dx, {numeric}}, {slope(x)},
            {{dy_dx, {2 * x * std::sin(x)}, "That is only what comes through v; y reads x itself as well."},
             {dy_dx, {2 * x * std::sin(x) + std::cos(x)}, "In y = sin(x) * v the slope of sin(x) is multiplied by v."}},
            1e-7);
  }
  return "A variable's gradient is the sum over all statements that read it; one walk in reverse finds them all.";
}
