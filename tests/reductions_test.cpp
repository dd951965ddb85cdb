#include "autodiff/reductions.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "tests/strided_views.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

struct Two : Axis<2> {};
struct Three : Axis<3> {};
struct Score : Axis<> {};

template <class T>
constexpr double tolerance = std::is_same_v<T, float> ? 1e-5 : 1e-12;

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

/// The slices of a 2 x 3 x n tensor along `axis`, each a list of places, row-major over the others.
std::vector<std::vector<std::size_t>> slices(std::size_t n, std::size_t axis) {
  const Extents<3> extents{2, 3, n}, strides{3 * n, n, 1};
  std::vector<std::vector<std::size_t>> all;
  Extents<3> outer = extents;
  outer[axis] = 1;
  detail::each_offset(outer, strides, [&](std::size_t at) {
    std::vector<std::size_t> slice;
    for (std::size_t i = 0; i < extents[axis]; ++i) slice.push_back(at + i * strides[axis]);
    all.push_back(slice);
  });
  return all;
}

template <class T>
double log_of_sum(const std::vector<T>& x, const std::vector<std::size_t>& slice, const std::vector<T>& mask) {
  double sum = 0;
  for (const std::size_t i : slice)
    if (mask[i] != 0) sum += std::exp(static_cast<double>(x[i]));
  return std::log(sum);
}

/// Every operation along axis A of x, with a mask, against its definition.
template <IsAxis A, class T>
void check_along(std::size_t n, const Var<T, Row, Mid, Col>& x, const Var<T, Row, Mid, Col>& mask) {
  const std::vector<T> xs = x.values(), kept = mask.values();
  std::vector<double> sums, means, largest, logs, soft(xs.size()), log_soft(xs.size(), -inf<double>);
  std::vector<std::int32_t> where;
  for (const auto& slice : slices(n, index_in<A, Axes<Row, Mid, Col>>)) {
    double total = 0, count = 0, top = -inf<double>;
    std::int32_t first = -1;
    const double lse = log_of_sum(xs, slice, kept);
    for (std::size_t i = 0; i < slice.size(); ++i) {
      const std::size_t at = slice[i];
      if (kept[at] == 0) continue;
      total += xs[at];
      ++count;
      if (xs[at] > top) top = xs[at], first = static_cast<std::int32_t>(i);
      soft[at] = std::exp(xs[at] - lse);
      log_soft[at] = xs[at] - lse;
    }
    sums.push_back(total);
    means.push_back(count == 0 ? 0 : total / count);
    largest.push_back(count == 0 ? 0 : top);
    where.push_back(first);
    logs.push_back(lse);
  }
  const double close = tolerance<T>;
  check_values(sum<A>(x, mask).values(), sums, 10 * close);
  check_values(mean<A>(x, mask).values(), means, close);
  check_values(max<A>(x, mask).values(), largest, 0);
  check_values(logsumexp<A>(x, mask).values(), logs, close);
  check_values(softmax<A>(x, mask).values(), soft, close);
  check_values(log_softmax<A>(x, mask).values(), log_soft, close);
  CHECK(argmax<A>(x, mask) == where);
}

}  // namespace

TEMPLATE_TEST_CASE("reductions along the first, a middle and the last axis, masked and not", "", float, double) {
  using T = TestType;
  for (const std::size_t n : sizes<T>()) {
    INFO("n " << n);
    Tape tape;
    const auto c = extent<Col>(n);
    const auto x = variable<Row, Mid, Col>(numbers<T>(6 * n, "x"), extent<Row>(2), extent<Mid>(3), c);
    const auto all = filled<T, Row, Mid, Col>(T(1), extent<Row>(2), extent<Mid>(3), c);
    const auto some = constant<Row, Mid, Col>(random_mask<T>(6 * n), extent<Row>(2), extent<Mid>(3), c);
    for (const auto& mask : {all, some}) {
      check_along<Row>(n, x, mask);
      check_along<Mid>(n, x, mask);
      check_along<Col>(n, x, mask);
    }
    CHECK(same_bits(softmax<Mid>(x).values(), softmax<Mid>(x, all).values()));
    CHECK(same_bits(sum<Col>(x).values(), sum<Col>(x, all).values()));
  }
}

TEMPLATE_TEST_CASE("reductions over several axes, and over all", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto x = variable<Two, Three, Col>({T(0), T(1), T(2), T(3), T(4), T(5), T(6), T(7), T(8), T(9), T(10), T(11)},
                                           extent<Col>(2));
  CHECK(sum(x).item() == 66);
  CHECK(mean(x).item() == T(5.5));
  CHECK(max(x).item() == 11);
  CHECK_THAT(logsumexp(x).item(), WithinRel(11.458669, 1e-6));
  CHECK(sum<Two, Col>(x).values() == std::vector<T>{14, 22, 30});
  CHECK(sum<Col, Two>(x).values() == std::vector<T>{14, 22, 30});
  CHECK(max<Two, Three>(x).values() == std::vector<T>{10, 11});
  CHECK(mean<Three, Col>(x).values() == std::vector<T>{2.5, 8.5});
  CHECK(sum<Two, Three, Col>(x).item() == 66);
  CHECK(sum(variable(T(3))).item() == 3);
  static_assert(std::same_as<decltype(sum<Three>(x)), Var<T, Two, Col>>);
}

TEMPLATE_TEST_CASE("reductions of nothing", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto x = variable<Two, Col>(std::vector<T>{}, extent<Col>(0));
  CHECK(sum<Col>(x).values() == std::vector<T>{0, 0});
  CHECK(mean<Col>(x).values() == std::vector<T>{0, 0});
  CHECK(max<Col>(x).values() == std::vector<T>{0, 0});
  CHECK(logsumexp<Col>(x).values() == std::vector<T>{minus_inf<T>, minus_inf<T>});
  CHECK(argmax<Col>(x) == std::vector<std::int32_t>{-1, -1});
  CHECK(softmax<Col>(x).size() == 0);
  CHECK(sum<Two>(x).size() == 0);
  CHECK(sum(x).item() == 0);
  Var loss = sum(x) + mean(x) + max(x) + sum(softmax<Two>(x));
  backward(loss);
  CHECK(x.gradients().empty());
}

TEST_CASE("reductions have their gradients") {
  const auto n = GENERATE(from_range(around_the_width()));
  const auto x = operand<Two, Three, Col>("x", extent<Col>(n));
  const auto more_than_one = operand<Three, Col, Two>("x", extent<Col>(n + 1));
  check_gradient([](auto x) { return sum<Three>(x); }, x);
  check_gradient([](auto x) { return sum<Two, Col>(x); }, x);
  check_gradient([](auto x) { return mean<Col>(x); }, x);
  check_gradient([](auto x) { return mean(x); }, x);
  check_gradient([](auto x) { return max<Two>(x); }, x);
  check_gradient([](auto x) { return max<Three, Col>(x); }, x);
  check_gradient([](auto x) { return max(x); }, x);
  check_gradient([](auto x) { return logsumexp<Three>(x); }, x);
  check_gradient([](auto x) { return logsumexp<Col>(x); }, x);
  check_gradient([](auto x) { return logsumexp<Col, Two>(x); }, x);
  check_gradient([](auto x) { return softmax<Three>(x); }, x);
  check_gradient([](auto x) { return softmax<Col>(x); }, more_than_one);
  check_gradient([](auto x) { return log_softmax<Two>(x); }, x);
  check_gradient([](auto x) { return log_softmax<Col>(x); }, more_than_one);
}

TEMPLATE_TEST_CASE("reductions of views equal those of the same numbers in a row", "", float, double) {
  using T = TestType;
  check_views<T>([](auto v) { return sum<Mid>(v); });
  check_views<T>([](auto v) { return mean<Row, Col>(v); });
  check_views<T>([](auto v) { return softmax<Row>(v) + softmax<Mid>(v) + softmax<Col>(v); });
  check_views<T>([](auto v) { return logsumexp<Col>(v) + max<Col>(v); });
}

TEMPLATE_TEST_CASE("logsumexp at ties and infinities", "", float, double) {
  using T = TestType;
  const auto check = [](std::vector<T> x, double value, std::vector<double> gradient) {
    Tape tape;
    const auto v = variable<Score>(x, extent<Score>(x.size()));
    const Var y = logsumexp<Score>(v);
    check_values(y.values(), {value}, 1e-6);
    backward(y);
    if (!gradient.empty()) check_values(v.gradients(), gradient, 2e-5);
  };
  check({T(0.7), T(0.7)}, 1.393147181, {0.5, 0.5});
  check({1, 1, 0}, 1.861994804, {0.422318798, 0.422318798, 0.155362403});
  check({minus_inf<T>, minus_inf<T>}, -inf<double>, {0, 0});
  check({minus_inf<T>, 2}, 2, {0, 1});
  check({inf<T>, 1}, inf<double>, {});
  check({1000, 1000}, 1000 + std::log(2), {0.5, 0.5});
}

TEST_CASE("equal maxima: the first has the gradient; a NaN is the largest") {
  Tape tape;
  const auto x = variable<Two, Three>({3., 5., 5., not_a_number<double>, 9., 1.});
  const Var y = max<Three>(x);
  CHECK(y.at(0) == 5);
  CHECK(std::isnan(y.at(1)));
  CHECK(argmax<Three>(x) == std::vector<std::int32_t>{1, 0});
  backward(at<Two>(y, 0));
  CHECK(x.gradients() == std::vector{0., 1., 0., 0., 0., 0.});
  CHECK(std::isnan(sum(x).item()));
  CHECK(std::isnan(mean(x).item()));
  CHECK(std::isnan(logsumexp(x).item()));
  CHECK(std::isnan(softmax<Three>(x).at(1, 2)));
  CHECK_FALSE(std::isnan(softmax<Three>(x).at(0, 2)));
}

TEMPLATE_TEST_CASE("a row of scores gives the same bits alone, in a batch and padded", "", float, double) {
  using T = TestType;
  Tape tape;
  for (const std::size_t n : sizes<T>()) {
    if (n == 0) continue;
    const auto batch = variable<Three, Score>(numbers<T>(3 * n, "x"), extent<Score>(n));
    const auto across = transpose<Score, Three>(batch);
    const Var rows = softmax<Score>(batch);
    const Var columns = softmax<Score>(across);
    for (std::size_t b = 0; b < 3; ++b) {
      const auto alone = softmax<Score>(at<Three>(batch, b)).values();
      REQUIRE(same_bits(at<Three>(rows, b).values(), alone));
      REQUIRE(same_bits(at<Three>(columns, b).values(), alone));
    }
  }
}
