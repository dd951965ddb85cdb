// EXPECTED: with_bias_0 and with_bias_1 are d c_20 / d c_0 for b_f = 0 and for b_f = 1.
// HINT: Along the memory d c_t / d c_{t-1} = f_t. How many factors are there, and how large is each?
// SHIPPED: Nothing is lost only if f is 1
#include "autodiff/backward.hpp"
#include "autodiff/reductions.hpp"
#include "layers/lstm.hpp"
#include "layers/unroll.hpp"
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

using namespace hindsight;
namespace {
struct Time : Axis<20> {};
struct Batch : Axis<1> {};
struct In : Axis<1> {};
struct Hidden : Axis<1> {};

double slope(double bias) {
  Lstm<In, Hidden, double> cell;
  initialise_gate<Forget>(cell.bias, bias);
  Tape tape;
  const State first{filled<double, Batch, Hidden>(0.0), variable<Batch, Hidden>({0.7})};
  return jacobian(unroll(cell, filled<double, Time, Batch, In>(0.0), first).last.c, first.c)[0];
}
}  // namespace

std::string exercise::check() {
  const double zero = slope(0), one = slope(1);
  check_prediction("d c_20 / d c_0 with b_f = 0", with_bias_0, zero, 0.1,
                   {{"", {1}, "Nothing is lost only if f is 1; sigmoid(0) is not."},
                    {"", {0.5}, "That is one step."},
                    {"", {0}, "It is small, and not 0: that would be a gate that is shut."}});
  check_prediction("d c_20 / d c_0 with b_f = 1", with_bias_1, one, 0.1,
                   {{"", {1}, "A bias of 1 is not a gate of 1: it goes through the sigmoid."},
                    {"", {0.731}, "That is one step."}});
  return text("Measured: %.3g and %.3g, %.0f times as much.", zero, one, one / zero);
}
