// Choices: what was not chosen is cut off.

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "autodiff/backward.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

struct N : Axis<> {};
struct Two : Axis<2> {};
struct Three : Axis<3> {};

/// d y / d x of a scalar function at x.
template <class T, class F>
std::pair<T, T> value_and_slope(F f, T x) {
  Tape tape;
  const auto v = variable(x);
  const Var y = f(v);
  backward(y);
  return {y.item(), v.gradient_at()};
}

}  // namespace

TEST_CASE("a choice cuts off the branch that was not chosen") {
  const auto f = [](auto a) { return select(a <= 0, exp(a), 2 * a + 1); };
  CHECK(value_and_slope(f, 95.0f) == std::pair{191.0f, 2.0f});
  const auto [value, slope] = value_and_slope(f, -1.0f);
  CHECK_THAT(value, WithinAbs(0.367879441, 1e-7));
  CHECK_THAT(slope, WithinAbs(0.367879441, 1e-7));

  for (const std::size_t n : sizes<float>()) {
    Tape tape;
    std::vector<float> xs(n);
    for (std::size_t i = 0; i < n; ++i) xs[i] = i % 2 == 0 ? 95.0f : -1.0f;
    const auto a = variable<N>(xs, extent<N>(n));
    const auto s = variable(1.0f);
    const Var y = select(a <= 0, exp(a * s), 2 * (a * s) + log(a * s) * 0);
    backward(y, filled<float, N>(1.0f, extent<N>(n)));
    for (std::size_t i = 0; i < n; ++i) REQUIRE(std::isfinite(a.gradient_at(i)));
    REQUIRE(std::isfinite(s.gradient_at()));
  }
}

TEST_CASE("a choice inside the branch that was not chosen is cut off with it") {
  Tape tape;
  const auto x = variable<Three>({0., -1., 4.});
  const Var y = select(x > 0, select(x > 2, log(x), sqrt(x)), select(x < 0, log(-x), x));
  CHECK(y.at(0) == 0);
  backward(y, filled<double, Three>(1.0));
  CHECK(x.gradients() == std::vector{1., -1., 0.25});
}

TEST_CASE("the condition of a choice gets no gradient, not even 0 times infinity") {
  Tape tape;
  const auto x = variable<Two>({0., 1.});
  const auto a = variable<Two>({1., 2.});
  const Var root = sqrt(x);  // its slope at 0 is infinite
  const Var y = select(root > 0.5, a, 3 * a) + select(sqrt(x), a, 3 * a) + a * (root > 0.5);
  CHECK(y.values() == std::vector{6., 6.});
  backward(y, filled<double, Two>(1.0));
  CHECK(x.gradients() == std::vector{0., 0.});
  CHECK(a.gradients() == std::vector{6., 3.});
}

TEST_CASE("a choice by a mask that lacks axes, between tensors and numbers") {
  Tape tape;
  const auto x = variable<Two, Three>({1., 2., 3., 4., 5., 6.});
  const auto rows = constant<Two>({1., 0.});
  const auto b = variable<Three>({10., 20., 30.});
  const Var y = select(rows, x, b);
  CHECK(y.values() == std::vector{1., 2., 3., 10., 20., 30.});
  backward(y, constant<Two, Three>({1., 2., 3., 4., 5., 6.}));
  CHECK(x.gradients() == std::vector{1., 2., 3., 0., 0., 0.});
  CHECK(b.gradients() == std::vector{4., 5., 6.});
  CHECK(Var(select(rows, x, 0)).values() == std::vector{1., 2., 3., 0., 0., 0.});
  CHECK(Var(select(rows, -1, x)).values() == std::vector{-1., -1., -1., 4., 5., 6.});
}
