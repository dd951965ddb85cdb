#include "autodiff/elementwise.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "autodiff/reductions.hpp"
#include "tests/error_text.hpp"
#include "tests/strided_views.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

struct N : Axis<> {};
struct Two : Axis<2> {};
struct Three : Axis<3> {};
struct One : Axis<1> {};

/// d y / d x of a scalar function at x.
template <class T, class F>
std::pair<T, T> value_and_slope(F f, T x) {
  Tape tape;
  const auto v = variable(x);
  const Var y = f(v);
  backward(y);
  return {y.item(), v.gradient_at()};
}

/// Calls visit(name, the function on tensors, the function on numbers) for each function of one operand.
template <class Visit>
void for_each_function(Visit visit) {
  using std::exp, std::log, std::log1p, std::expm1, std::tanh, std::sin, std::cos, std::sqrt, std::abs;
  visit(
      "-", [](auto x) { return -x; }, [](double x) { return -x; });
  visit(
      "exp", [](auto x) { return exp(x); }, [](double x) { return exp(x); });
  visit(
      "log", [](auto x) { return log(x); }, [](double x) { return log(x); });
  visit(
      "log1p", [](auto x) { return log1p(x); }, [](double x) { return log1p(x); });
  visit(
      "expm1", [](auto x) { return expm1(x); }, [](double x) { return expm1(x); });
  visit(
      "sigmoid", [](auto x) { return sigmoid(x); }, [](double x) { return 1 / (1 + exp(-x)); });
  visit(
      "tanh", [](auto x) { return tanh(x); }, [](double x) { return tanh(x); });
  visit(
      "softplus", [](auto x) { return softplus(x); }, [](double x) { return log1p(exp(x)); });
  visit(
      "sin", [](auto x) { return sin(x); }, [](double x) { return sin(x); });
  visit(
      "cos", [](auto x) { return cos(x); }, [](double x) { return cos(x); });
  visit(
      "sqrt", [](auto x) { return sqrt(x); }, [](double x) { return sqrt(x); });
  visit(
      "square", [](auto x) { return square(x); }, [](double x) { return x * x; });
  visit(
      "reciprocal", [](auto x) { return reciprocal(x); }, [](double x) { return 1 / x; });
  visit(
      "abs", [](auto x) { return abs(x); }, [](double x) { return abs(x); });
  visit(
      "relu", [](auto x) { return relu(x); }, [](double x) { return x > 0 ? x : 0; });
  visit(
      "pow", [](auto x) { return pow(x, 2.5); }, [](double x) { return std::pow(x, 2.5); });
}

}  // namespace

TEMPLATE_TEST_CASE("functions have their values at every size", "", float, double) {
  using T = TestType;
  const double tolerance = std::is_same_v<T, float> ? 1e-6 : 1e-14;
  for_each_function([&](const char* name, auto f, auto expected) {
    for (const std::size_t n : sizes<T>()) {
      INFO(name << " of " << n << " elements");
      Tape tape;
      std::vector<T> xs = numbers<T>(n, "x");
      for (T& x : xs) x = 2 + x / 2;
      const Var y = f(variable<N>(xs, extent<N>(n)));
      const std::vector<T> ys = y.values();
      REQUIRE(ys.size() == n);
      for (std::size_t i = 0; i < n; ++i) REQUIRE_THAT(ys[i], WithinRel(expected(xs[i]), tolerance));
    }
  });
}

TEST_CASE("functions have their derivatives") {
  const auto n = GENERATE(from_range(around_the_width()));
  for_each_function([&](const char* name, auto f, auto) {
    INFO(name);
    check_gradient(f, positive_operand<N>("x", extent<N>(n)));
  });
}

TEST_CASE("functions of negative numbers have their derivatives") {
  const auto x = operand<N>("x", extent<N>(9));
  check_gradient([](auto x) { return exp(x); }, x);
  check_gradient([](auto x) { return expm1(x); }, x);
  check_gradient([](auto x) { return sigmoid(x); }, x);
  check_gradient([](auto x) { return tanh(x); }, x);
  check_gradient([](auto x) { return softplus(x); }, x);
  check_gradient([](auto x) { return sin(x); }, x);
  check_gradient([](auto x) { return cos(x); }, x);
  check_gradient([](auto x) { return square(x); }, x);
  check_gradient([](auto x) { return reciprocal(x); }, x);
  check_gradient([](auto x) { return abs(x); }, x);
  check_gradient([](auto x) { return relu(x); }, x);
  check_gradient([](auto x) { return pow(x, 3); }, x);
}

TEMPLATE_TEST_CASE("a NaN that goes in comes out", "", float, double) {
  using T = TestType;
  const T nan = not_a_number<T>;
  for_each_function([&](const char* name, auto f, auto) {
    INFO(name);
    Tape tape;
    const Var y = f(variable<Three>({T(1), nan, T(2)}));
    CHECK(std::isnan(y.at(1)));
    CHECK_FALSE(std::isnan(y.at(0)));
    CHECK_FALSE(std::isnan(y.at(2)));
  });
  Tape tape;
  const auto x = variable<Three>({T(1), nan, T(2)});
  const auto one = variable<Three>({T(1), T(1), T(1)});
  const Var<T, Three> results[] = {Var(max(x, one)), Var(max(one, x)), Var(min(x, one)), Var(min(one, x)),
                                   Var(max(x, 1.0)), Var(x + one),     Var(x - one),     Var(x * one),
                                   Var(x / one),     Var(one / x)};
  for (const auto& y : results) {
    CHECK(std::isnan(y.at(1)));
    CHECK_FALSE(std::isnan(y.at(0)));
  }
}

TEMPLATE_TEST_CASE("a tail gives the bits of the vector body", "", float, double) {
  using T = TestType;
  const std::size_t longest = 2 * lanes<T>() + 1;
  const std::vector<T> xs = numbers<T>(longest, "x"), ys = numbers<T>(longest, "y");
  const auto run = [&](std::size_t n) {
    Tape tape;
    const auto x = variable<N>(std::span<const T>(xs.data(), n), extent<N>(n));
    const auto y = variable<N>(std::span<const T>(ys.data(), n), extent<N>(n));
    const Var z = tanh(x) * sigmoid(y) / (square(x) + 1) + select(x > y, exp(x), softplus(y)) - relu(x * y);
    backward(z, filled<T, N>(T(1), extent<N>(n)));
    return std::array{z.values(), x.gradients(), y.gradients()};
  };
  const auto whole = run(longest);
  for (std::size_t n = 0; n < longest; ++n) {
    const auto part = run(n);
    for (std::size_t k = 0; k < part.size(); ++k)
      REQUIRE(same_bits(part[k], std::vector<T>(whole[k].begin(), whole[k].begin() + static_cast<std::ptrdiff_t>(n))));
  }
}

TEMPLATE_TEST_CASE("arithmetic and comparisons of two operands", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto a = variable<Three>({T(1), T(-2), T(6)});
  const auto b = variable<Three>({T(4), T(-2), T(-3)});
  const auto values = [](auto e) { return Var(e).values(); };
  CHECK(values(a + b) == std::vector<T>{5, -4, 3});
  CHECK(values(a - b) == std::vector<T>{-3, 0, 9});
  CHECK(values(a * b) == std::vector<T>{4, 4, -18});
  CHECK(values(a / b) == std::vector<T>{T(0.25), 1, -2});
  CHECK(values(max(a, b)) == std::vector<T>{4, -2, 6});
  CHECK(values(min(a, b)) == std::vector<T>{1, -2, -3});
  CHECK(values(a < b) == std::vector<T>{1, 0, 0});
  CHECK(values(a <= b) == std::vector<T>{1, 1, 0});
  CHECK(values(a > b) == std::vector<T>{0, 0, 1});
  CHECK(values(a >= b) == std::vector<T>{0, 1, 1});
  CHECK(values(a - 1) == std::vector<T>{0, -3, 5});
  CHECK(values(1 - a) == std::vector<T>{0, 3, -5});
  CHECK(values(6 / a) == std::vector<T>{6, -3, 1});
  CHECK(values(max(a, 0)) == std::vector<T>{1, 0, 6});
  CHECK(values(min(0, a)) == std::vector<T>{0, -2, 0});
  CHECK(values(0 < a) == std::vector<T>{1, 0, 1});
  CHECK(values(select(a > b, a, b)) == std::vector<T>{4, -2, 6});
}

TEST_CASE("two operands have their derivatives, in each position") {
  const auto x = operand<N>("x", extent<N>(9));
  const auto y = operand<N>("y", extent<N>(9));
  const auto p = positive_operand<N>("p", extent<N>(9));
  check_gradient([](auto a, auto b) { return a + 2 * b; }, x, y);
  check_gradient([](auto a, auto b) { return a - 2 * b; }, x, y);
  check_gradient([](auto a, auto b) { return a * b; }, x, y);
  check_gradient([](auto a, auto b) { return a / b; }, x, p);
  check_gradient([](auto a, auto b) { return max(a, b); }, x, y);
  check_gradient([](auto a, auto b) { return min(a, b); }, x, y);
  check_gradient([](auto a, auto b) { return select(a > b, a * b, a / (b * b + 1)); }, x, y);
  check_gradient([](auto a) { return 3 - a; }, x);
  check_gradient([](auto a) { return 3 / a; }, p);
  check_gradient([](auto a) { return a / 3; }, x);
}

TEST_CASE("one variable several times in a statement") {
  using Slope = std::pair<double, double>;
  CHECK(value_and_slope([](auto x) { return x * x; }, 3.0) == Slope{9, 6});
  CHECK(value_and_slope([](auto x) { return x + x; }, 3.0) == Slope{6, 2});
  CHECK(value_and_slope([](auto x) { return x - x; }, 3.0) == Slope{0, 0});
  CHECK(value_and_slope([](auto x) { return x / x; }, 3.0) == Slope{1, 0});
  CHECK(value_and_slope([](auto x) { return max(x, x); }, 3.0) == Slope{3, 1});
  CHECK(value_and_slope([](auto x) { return x * x * x + x * 4; }, 2.0) == Slope{16, 16});
  const auto reassigned = [](auto x) {
    Var y = 2 * x;
    y = Var(tanh(y));
    return y;
  };
  CHECK_THAT(value_and_slope(reassigned, 0.25).second, WithinRel(1.572895466, 1e-9));
  for (const double at : {1.5, -2.0})
    CHECK(value_and_slope(
              [](auto a) {
                auto b = a;
                Var c = select(b > 1, 4 * a, a * a);
                return c;
              },
              at)
              .second == (at > 1 ? 4 : 2 * at));
}

TEST_CASE("an expression outlives the variables it was made of") {
  const auto sq = [](auto a) { return a * a; };
  CHECK(value_and_slope(
            [&](auto x) {
              auto y = sq(sq(x));
              return y;
            },
            3.0) == std::pair{81.0, 108.0});
  Tape tape;
  const auto make = [] { return constant<Three>({1., 2., 3.}); };
  const auto e = make() * 2 + make();
  CHECK(Var(e).values() == std::vector{3., 6., 9.});
}

TEST_CASE("a variable used at once as a whole and by overlapping parts") {
  check_gradient(
      [](auto x) {
        return slice<N>(x, 0, 6) * slice<N>(x, 1, 7) + slice<N>(x, 3, 9) * slice<N>(x, 0, 6) +
               slice<N>(x, 0, 6) * at<N>(x, 2);
      },
      operand<N>("x", extent<N>(9)));
}

TEST_CASE("kinks: the documented side") {
  CHECK(value_and_slope([](auto x) { return relu(x); }, 0.0) == std::pair{0.0, 0.0});
  CHECK(value_and_slope([](auto x) { return abs(x); }, 0.0) == std::pair{0.0, 0.0});
  CHECK(value_and_slope([](auto x) { return pow(x, 0); }, 0.0) == std::pair{1.0, 0.0});
  CHECK(value_and_slope([](auto x) { return pow(x, 1); }, 0.0) == std::pair{0.0, 1.0});
  Tape tape;
  const auto a = variable(1.0), b = variable(1.0);
  const Var y = max(a, b) + 10 * min(a, b);
  backward(y);
  CHECK(a.gradient_at() == 11);
  CHECK(b.gradient_at() == 0);
}

TEST_CASE("extents that differ at run time are refused, with the axis and both") {
  Tape tape;
  const auto a = variable<N, Three>(numbers<double>(6, "a"), extent<N>(2));
  const auto b = variable<N>(numbers<double>(4, "b"), extent<N>(4));
  CHECK(says(error_text([&] { return a + b; }), {"addition", "axis N", "2 long", "4"}));
  CHECK(says(error_text([&] { return b + a; }), {"addition", "axis N", "2", "4"}));
  CHECK(says(error_text([&] { return a - b; }), {"subtraction", "axis N", "2", "4"}));
  CHECK(says(error_text([&] { return a * b; }), {"multiplication", "axis N", "2", "4"}));
  CHECK(says(error_text([&] { return a / b; }), {"division", "axis N", "2", "4"}));
  CHECK(says(error_text([&] { return max(a, b); }), {"max", "axis N", "2", "4"}));
  CHECK(says(error_text([&] { return min(a, b); }), {"min", "axis N", "2", "4"}));
  CHECK(says(error_text([&] { return a < b; }), {"comparison", "axis N", "2", "4"}));
  CHECK(says(error_text([&] { return select(b, a, 0); }), {"select", "axis N", "2", "4"}));
  CHECK(says(error_text([&] { return select(a, a, b); }), {"select", "axis N", "2", "4"}));
}
