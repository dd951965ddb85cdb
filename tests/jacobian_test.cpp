#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "autodiff/backward.hpp"
#include "autodiff/reductions.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

struct Two : Axis<2> {};
struct Three : Axis<3> {};
struct Batch : Axis<> {};

}  // namespace

TEST_CASE("the Jacobian of a matrix product is the matrix") {
  Tape tape;
  const std::vector w{1., 2., 3., 4., 5., 6.};
  const auto x = variable<Three>({7., 8., 9.});
  const Var y = contract<Three>(constant<Two, Three>(w), x);
  CHECK(jacobian(y, x) == w);
  CHECK(jacobian(y, x) == w);
}

TEST_CASE("the Jacobian of softmax is diag(s) - s s^T") {
  Tape tape;
  const auto x = variable<Three>({0.1, -0.7, 1.3});
  const Var s = softmax<Three>(x);
  const std::vector<double> j = jacobian(s, x);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      CHECK_THAT(j[3 * r + c], WithinAbs((r == c ? s.at(r) : 0) - s.at(r) * s.at(c), 1e-15));
}

TEST_CASE("the Jacobian between inner variables, views and of a variable by itself") {
  Tape tape;
  const auto x = variable<Two>({2., 3.});
  const Var y = x * x;
  const Var z = y * y * x;
  CHECK(jacobian(z, y) == std::vector{16., 0., 0., 54.});
  CHECK(jacobian(y, z) == std::vector(4, 0.));
  CHECK(jacobian(x, x) == std::vector{1., 0., 0., 1.});
  CHECK(jacobian(y, at<Two>(x, 1)) == std::vector{0., 6.});
  CHECK(jacobian(at<Two>(y, 1), x) == std::vector{0., 6.});
  CHECK(jacobian(Var(sum(y)), x) == std::vector{4., 6.});
}

TEST_CASE("a Jacobian leaves parameters' gradients as they were") {
  Tape tape;
  Parameter<double, Two, Three> w;
  Parameter<double, Three> b, untouched;
  w.gradients()[0] = 5;
  b.gradients()[2] = 7;
  const auto x = variable<Two>({2., 3.});
  const Var y = contract<Two>(x, w) + b + untouched * 0.0;
  const auto identity = std::vector{1., 0., 0., 0., 1., 0., 0., 0., 1.};
  CHECK(jacobian(y, b) == identity);
  CHECK(jacobian(y, w) == std::vector{2., 0., 0., 3., 0., 0., 0., 2., 0., 0., 3., 0., 0., 0., 2., 0., 0., 3.});
  CHECK(jacobian(y, x) == std::vector<double>(6));
  CHECK(w.gradients()[0] == 5);
  CHECK(w.gradients()[1] == 0);
  CHECK(b.gradients()[2] == 7);
  backward(y, filled<double, Three>(1.0));
  CHECK(w.gradients()[0] == 7);
  CHECK(b.gradients()[2] == 8);
}

TEST_CASE("a Jacobian with no rows or no columns") {
  Tape tape;
  const auto x = variable<Batch>(std::vector<double>{}, extent<Batch>(0));
  const Var y = x * 2;
  CHECK(jacobian(y, x).empty());
  const auto z = variable<Two>({1., 2.});
  const Var total = sum(x) + z;
  CHECK(jacobian(total, x).empty());
  CHECK(jacobian(y, z).empty());
}

TEST_CASE("seeds weigh the rows of a Jacobian") {
  Tape tape;
  const auto x = variable<Three>({0.3, -0.2, 0.9});
  const Var y = tanh(x) * sum(x);
  const std::vector<double> j = jacobian(y, x);
  const std::vector seed{2., -3., 0.5};
  for (int again = 0; again < 2; ++again) {
    backward(y, constant<Three>(seed));
    for (std::size_t c = 0; c < 3; ++c)
      CHECK_THAT(x.gradient_at(c), WithinAbs(seed[0] * j[c] + seed[1] * j[3 + c] + seed[2] * j[6 + c], 1e-14));
  }
}
