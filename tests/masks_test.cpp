// A mask selects: what lies under it is not looked at, and gets exactly no gradient.

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

namespace {

struct Two : Axis<2> {};
struct Three : Axis<3> {};

template <class T>
constexpr T minus_inf = -inf<T>;

template <class T>
void check_values(const std::vector<T>& found, const std::vector<double>& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("element " << i);
    if (std::isinf(expected[i]))
      REQUIRE(found[i] == static_cast<T>(expected[i]));
    else
      REQUIRE_THAT(found[i], WithinAbs(expected[i], tolerance * std::max(1.0, std::abs(expected[i]))));
  }
}

}  // namespace

TEST_CASE("masked reductions have their gradients") {
  const auto n = GENERATE(from_range(around_the_width(2)));
  const auto x = operand<Two, Three, Col>("x", extent<Col>(n));
  const auto mask = [n] { return constant<Col, Three>(random_mask<double>(3 * n), extent<Col>(n)); };
  check_gradient([&](auto x) { return sum<Three>(x, mask()); }, x);
  check_gradient([&](auto x) { return mean<Col, Two>(x, mask()); }, x);
  check_gradient([&](auto x) { return max<Three, Col>(x, mask()); }, x);
  check_gradient([&](auto x) { return logsumexp<Three, Col>(x, mask()); }, x);
  check_gradient([&](auto x) { return softmax<Three>(x, mask()); }, x);
  check_gradient(
      [&](auto x) {
        const auto kept = mask();
        return select(kept, log_softmax<Three>(x, kept), 0.0);
      },
      x);
}

TEMPLATE_TEST_CASE("masks that are views, lack axes or are expressions", "", float, double) {
  using T = TestType;
  for (const Extents<3>& extents : view_extents<T>())
    for_each_view<T>(extents, [&](const auto&, const auto& view) {
      const auto x = detail::copied_in<T, Row, Mid, Col>(numbers<T>(view.size(), "x"), extents);
      const Var plain = detail::copied_in<T, Row, Mid, Col>(view.values(), extents) > 0;
      REQUIRE(same_bits(sum<Mid>(x, view > 0).values(), sum<Mid>(x, plain).values()));
      REQUIRE(same_bits(softmax<Col>(x, transpose<Col, Mid, Row>(plain)).values(), softmax<Col>(x, plain).values()));
      if (extents[1] == 0) return;
      const auto no_mid = at<Mid>(view, 0);
      const Var spread = x * 0 + no_mid;
      REQUIRE(same_bits(softmax<Mid>(x, no_mid).values(), softmax<Mid>(x, spread).values()));
      REQUIRE(same_bits(sum<Row, Mid>(x, no_mid).values(), sum<Row, Mid>(x, spread).values()));
    });
}

TEST_CASE("a mask of the tensor's axes that lies otherwise in memory") {
  Tape tape;
  const auto x = variable<Two, Three>({1., 2., 3., 4., 5., 6.});
  const auto turned = constant<Three, Two>({1., 0., 0., 1., 1., 0.});
  CHECK(sum<Three>(x, transpose<Two, Three>(turned)).values() == std::vector{4., 5.});
}

TEST_CASE("a mask selects: what lies under it is not looked at and gets exactly no gradient") {
  Tape tape;
  const double nan = not_a_number<double>, infinite = inf<double>;
  const auto x = variable<Two, Three>({1., nan, 2., infinite, 3., -infinite});
  const auto mask = constant<Two, Three>({1., 0., 1., 0., 1., 0.});
  const auto check = [&](auto y, std::vector<double> values) {
    CHECK(y.values() == values);
    backward(y, weights_like(y));
    for (const std::size_t at : {1, 3, 5}) CHECK(x.gradients()[at] == 0);
    for (const std::size_t at : {0, 2, 4}) CHECK(std::isfinite(x.gradients()[at]));
  };
  check(sum<Three>(x, mask), {3., 3.});
  check(mean<Three>(x, mask), {1.5, 3.});
  check(max<Three>(x, mask), {2., 3.});
  check(max<Two>(x, mask), {1., 3., 2.});
  check(softmax<Two>(x, mask), {1., 0., 1., 0., 1., 0.});
  check(sum(x, mask), {6.});
  const Var y = logsumexp<Two>(x, mask);
  check(y, {1., 3., 2.});
}

TEMPLATE_TEST_CASE("softmax of a row that is masked whole is zeros, with zero gradients", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto scores = variable<Two, Three>({T(1), T(2), T(7), T(1), T(2), T(7)});
  const auto mask = constant<Two, Three>({T(1), T(1), T(0), T(0), T(0), T(0)});
  const Var a = softmax<Three>(scores, mask);
  check_values(a.values(), {0.268941421, 0.731058579, 0, 0, 0, 0}, 1e-7);
  backward(a, weights_like(a));
  const std::vector<T> gradient = scores.gradients();
  for (std::size_t i = 2; i < 6; ++i) CHECK(gradient[i] == 0);
  CHECK(gradient[0] != 0);
  for (const T g : gradient) CHECK(std::isfinite(g));

  const Var log_a = log_softmax<Three>(scores, mask);
  check_values(log_a.values(), {-1.313261688, -0.313261688, -inf<double>, -inf<double>, -inf<double>, -inf<double>},
               1e-6);
  backward(log_a, weights_like(log_a));
  for (std::size_t i = 2; i < 6; ++i) CHECK(scores.gradients()[i] == 0);
  for (const T g : scores.gradients()) CHECK(std::isfinite(g));

  const Var as_infinity = softmax<Three>(select(mask, scores, minus_inf<T>));
  CHECK(same_bits(as_infinity.values(), a.values()));
  backward(as_infinity, weights_like(a));
  CHECK(scores.gradients() == gradient);

  const std::vector<T> finite = softmax<Three>(select(mask, scores, -1e30)).values();
  check_values(finite, {0.268941421, 0.731058579, 0, 1. / 3, 1. / 3, 1. / 3}, 1e-7);

  const Var log_infinity = log_softmax<Three>(select(mask, scores, minus_inf<T>));
  CHECK(same_bits(log_infinity.values(), log_a.values()));
  backward(log_a, weights_like(log_a));
  const std::vector<T> log_gradient = scores.gradients();
  backward(log_infinity, weights_like(log_a));
  CHECK(scores.gradients() == log_gradient);

  const Var log_finite = log_softmax<Three>(select(mask, scores, -1e30));
  const double third = -1.098612289;
  check_values(log_finite.values(), {-1.313261688, -0.313261688, -1e30, third, third, third}, 1e-6);
  backward(log_finite, weights_like(log_a));
  for (std::size_t i = 2; i < 6; ++i) CHECK(scores.gradients()[i] == 0);
  for (const T g : scores.gradients()) CHECK(std::isfinite(g));
}

TEMPLATE_TEST_CASE("an attention over a memory that is masked whole puts no NaN anywhere", "", float, double) {
  using T = TestType;
  Tape tape;
  Parameter<T, Col, Next<Col>> w(extent<Col>(4), extent<Next<Col>>(4));
  for (std::size_t i = 0; T& e : w.edit()) e = static_cast<T>(i++) / 16;
  const auto memory = variable<Three, Two, Col>(numbers<T>(24, "memory"), extent<Col>(4));
  const auto query = variable<Two, Col>(numbers<T>(8, "query"), extent<Col>(4));
  const auto mask = constant<Three, Two>({T(1), T(0), T(1), T(0), T(0), T(0)});
  const Var keys = rename<Next<Col>, Col>(Var(contract<Col>(memory, w)));
  const Var context = contract<Three>(softmax<Three>(contract<Col>(keys, query), mask), memory);
  CHECK(at<Two>(context, 1).values() == std::vector<T>(4));
  backward(context, weights_like(context));
  for (const T g : w.gradients()) CHECK(std::isfinite(g));
  CHECK(at<Two>(query, 1).gradients() == std::vector<T>(4));
  CHECK(at<Two>(memory, 1).gradients() == std::vector<T>(12));
  CHECK(at<Two>(at<Three>(memory, 2), 0).gradients() == std::vector<T>(4));
}

TEST_CASE("a mask with other extents is refused") {
  Tape tape;
  const auto x = variable<Two, Col>(numbers<double>(8, "x"), extent<Col>(4));
  const auto mask = constant<Col>({1., 0., 1.}, extent<Col>(3));
  CHECK(says(error_text([&] { sum<Col>(x, mask); }), {"mask", "axis Col", "4", "3"}));
  CHECK(says(error_text([&] { softmax<Two>(x, mask); }), {"mask", "axis Col", "4", "3"}));
}
