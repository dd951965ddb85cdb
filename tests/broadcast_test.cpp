// Operands that lack axes, or lie strided in memory.

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "autodiff/select.hpp"
#include "tests/strided_views.hpp"

using namespace hindsight;

namespace {

struct N : Axis<> {};
struct Two : Axis<2> {};
struct Three : Axis<3> {};
struct One : Axis<1> {};

}  // namespace

TEST_CASE("operands broadcast by name: values and gradients") {
  Tape tape;
  const auto a = variable<Two, Three>({1., 2., 3., 4., 5., 6.});
  const auto b = variable<Three>({10., 20., 30.});
  const auto c = variable<Two>({100., 200.});
  const auto s = variable(1000.);
  const Var y = a + b + c + s;
  CHECK(y.values() == std::vector{1111., 1122., 1133., 1214., 1225., 1236.});
  const std::vector w{1., 2., 3., 4., 5., 6.};
  backward(y, constant<Two, Three>(w));
  CHECK(a.gradients() == w);
  CHECK(b.gradients() == std::vector{5., 7., 9.});
  CHECK(c.gradients() == std::vector{6., 15.});
  CHECK(s.gradients() == std::vector{21.});

  const auto twos = filled<double, Two, Three>(2.0);
  const Var product = twos * b;
  backward(product, constant<Two, Three>(w));
  CHECK(b.gradients() == std::vector{10., 14., 18.});

  const auto single = variable<Two, One>({1., 2.});
  const Var same = single * variable<One>({3.});
  backward(same, constant<Two, One>({1., 10.}));
  CHECK(single.gradients() == std::vector{3., 30.});
}

TEST_CASE("the result has the larger operand's axes, in the left one's order") {
  Tape tape;
  const auto a = variable<Two, Three>({1., 2., 3., 4., 5., 6.});
  const auto b = variable<Three, Two>({10., 20., 30., 40., 50., 60.});
  const auto c = variable<Three>({100., 200., 300.});
  static_assert(std::same_as<decltype(Var(a + b)), Var<double, Two, Three>>);
  static_assert(std::same_as<decltype(Var(b + a)), Var<double, Three, Two>>);
  static_assert(std::same_as<decltype(Var(c + a)), Var<double, Two, Three>>);
  CHECK(Var(a + b).values() == std::vector{11., 32., 53., 24., 45., 66.});
  CHECK(Var(c + b).values() == std::vector{110., 120., 230., 240., 350., 360.});
}

TEST_CASE("gradients of operands that lack the leading, middle or inner axis, or all") {
  const auto n = GENERATE(from_range(around_the_width()));
  const auto r = extent<Row>(2);
  const auto m = extent<Mid>(3);
  const auto c = extent<Col>(n);
  check_gradient(
      [](auto full, auto no_row, auto no_mid, auto no_col, auto col, auto mid, auto row, auto scalar) {
        return full * no_row + tanh(no_mid) * full - no_col * full * sigmoid(no_row) + col * full * scalar +
               mid * (row * full);
      },
      operand<Row, Mid, Col>("full", r, m, c), operand<Mid, Col>("no_row", m, c), operand<Col, Row>("no_mid", r, c),
      operand<Mid, Row>("no_col", r, m), operand<Col>("col", c), operand<Mid>("mid", m), operand<Row>("row", r),
      operand<>("scalar"));
}

TEMPLATE_TEST_CASE("a bias over an empty batch gets zeros", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto x = variable<N, Three>(std::vector<T>{}, extent<N>(0));
  const auto b = variable<Three>({T(1), T(2), T(3)});
  const Var y = x + b;
  CHECK(y.size() == 0);
  backward(y, filled<T, N, Three>(T(1), extent<N>(0)));
  CHECK(b.gradients() == std::vector<T>{0, 0, 0});
  CHECK(x.gradients().empty());
  const auto narrow = variable<Three, N>(std::vector<T>{}, extent<N>(0));
  CHECK(Var(tanh(narrow * b)).size() == 0);
}

TEMPLATE_TEST_CASE("statements of views equal those of the same numbers in a row", "", float, double) {
  using T = TestType;
  check_views<T>([](auto v) { return v * tanh(v) + 1 / (square(v) + 1); });
  check_views<T>([](auto v) { return select(v > 0, exp(v), v * v); });
  check_views<T>([](auto v) { return transpose<Col, Row, Mid>(v) * v; });
}

TEMPLATE_TEST_CASE("views broadcast as the same numbers in a row do", "", float, double) {
  using T = TestType;
  check_views<T>([](auto v) {
    if (v.size() == 0) return Var(v * 2);
    return Var(v * at<Row>(v, 0) + v * tanh(at<Mid>(v, 0)) - v * at<Col>(v, 0) + at<Row>(at<Mid>(v, 0), 0) * v +
               at<Row>(at<Col>(v, 0), 0) / (square(v) + 1) +
               at<Mid>(at<Col>(v, 0), 0) * at<Col>(at<Mid>(at<Row>(v, 0), 0), 0));
  });
}

TEMPLATE_TEST_CASE("what lies beyond a tail does not reach the gradient of a broadcast operand", "", float, double) {
  using T = TestType;
  for (const std::size_t n : sizes<T>()) {
    Tape tape;
    const auto x = filled<T, N>(T(2), extent<N>(n));
    const auto s = variable(T(3));
    const Var y = s / x + s * log(x - 1);  // beyond the tail x may be anything, 0 too
    backward(y, filled<T, N>(T(1), extent<N>(n)));
    REQUIRE(s.gradient_at() == static_cast<T>(n) / 2);
  }
}
