// 1. Complete: walk the tape backwards
//
//     v = x * x
//     y = sin(x) * v
//
// These two statements are on the tape. Walked in reverse, each adds to its operands' adjoints (a_x = dy/dx,
// a_v = dy/dv) its own adjoint times its derivative by that operand. One of the additions is missing.
#include <cmath>

/// dy/dx
double slope(double x) {
  const double v = x * x;
  double a_x = 0, a_v = 0, a_y = 1;

  a_v += a_y * std::sin(x);  // y = sin(x) * v, by v
  // HERE: y = sin(x) * v, by x
  a_x += a_v * 2 * x;        // v = x * x, by x
  return a_x;
}
