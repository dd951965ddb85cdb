// Gradients are checked in double: in float the finite differences are too coarse.
// EXPECT: check_gradients_needs_double_not_float
// EXPECT: Lstm
#include "autodiff/gradcheck.hpp"
#include "layers/lstm.hpp"

struct In : hindsight::Axis<4> {};
struct Hidden : hindsight::Axis<4> {};

#ifdef MISTAKE
using Scalar = float;
#else
using Scalar = double;
#endif

bool check(hindsight::Lstm<In, Hidden, Scalar>& cell) {
  return hindsight::check_gradients([&] { return cell.bias * 2; }, cell).ok();
}
