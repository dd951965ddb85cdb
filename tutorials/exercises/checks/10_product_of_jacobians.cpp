// EXPECTED: factor is a number, the length of (d h_50 / d h_0) u over the length of u.
// HINT: At h = 0 the slope of tanh is 1. What is left of J_t, and what does it do to a length? Then fifty of
//   them.
// SHIPPED: This is what an orthogonal V would do
#include "autodiff/backward.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

using namespace hindsight;
namespace {
struct Time : Axis<50> {};
struct Batch : Axis<1> {};
struct In : Axis<1> {};
struct Hidden : Axis<4> {};
}  // namespace

std::string exercise::check() {
  Rnn<In, Hidden, double> cell;
  initialise_orthogonal(cell.from_hidden.weight, 0.9, Random{1});
  Tape tape;
  const HiddenState first{variable<Batch, Hidden>(Vector(4))};
  const auto J = jacobian(unroll(cell, filled<double, Time, Batch, In>(0.0), first).last.h, first.h);
  double square = 0;  // of the first column: the image of (1, 0, 0, 0)
  for (std::size_t i = 0; i < 4; ++i) square += J[i * 4] * J[i * 4];
  check_prediction("|d h_50 / d h_0|", factor, std::sqrt(square), 0.05,
                   {{"", {1}, "This is what an orthogonal V would do; here it is 0.9 times one."},
                    {"", {0.9}, "That is one Jacobian. There are fifty."},
                    {"", {45}, "That is a sum. The chain rule multiplies."},
                    {"", {0}, "It is small, and not 0. Which power of ten?"}});
  return text("Measured: %.5f. With 1.1 in place of 0.9 it would be 117, until the units saturate.", std::sqrt(square));
}
