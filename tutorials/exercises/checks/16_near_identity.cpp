// EXPECTED: forget_bias, input_bias and output_bias are three numbers, for which the LSTM keeps c, and
//   keeps it to itself.
// HINT: sigmoid(5) = 0.9933, and to the power 100 that is one half. Which gates must be near 1, and which near
//   0?
// SHIPPED: Over 100 steps f_t is multiplied with itself
#include "autodiff/backward.hpp"
#include "autodiff/reductions.hpp"
#include "layers/lstm.hpp"
#include "layers/unroll.hpp"
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

using namespace hindsight;
namespace {
struct Time : Axis<100> {};
struct Batch : Axis<1> {};
struct In : Axis<1> {};
struct Hidden : Axis<1> {};
}  // namespace

std::string exercise::check() {
  Lstm<In, Hidden, double> cell;
  initialise_gate<Forget>(cell.bias, forget_bias);
  initialise_gate<Input>(cell.bias, input_bias);
  initialise_gate<Candidate>(cell.bias, 1);
  initialise_gate<Output>(cell.bias, output_bias);
  Tape tape;
  const State first{filled<double, Batch, Hidden>(0.0), variable<Batch, Hidden>({0.7})};
  const auto last = unroll(cell, filled<double, Time, Batch, In>(0.0), first).last;
  const double c = last.c.at(0, 0), h = last.h.at(0, 0), slope = jacobian(last.c, first.c)[0];
  if (!(slope >= 0.99))
    fail(text("d c_100 / d c_0 should be at least 0.99, yours is %.3g. "
              "Over 100 steps f_t is multiplied with itself.", slope));
  if (!(std::abs(c - 0.7) <= 0.02))
    fail(text("The memory should still be 0.7, and it is %.3f: a little is "
              "written at each of 100 steps. Which gate lets it in?", c));
  if (!(std::abs(h) < 0.01)) fail(text("h_100 should be less than 0.01, yours is %.3f: the memory is shown.", h));
  return text("Measured: d c_100 / d c_0 = %.4f, c_100 = %.4f, h_100 = "
              "%.1e. With f = 1 and i = 0 the Jacobian is the identity.", slope, c, h);
}
