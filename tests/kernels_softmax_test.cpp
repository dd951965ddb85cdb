// Softmax, log-softmax and logsumexp: against their definitions, at the edges of the
// number line, under masks, and bit for bit whatever the layout.

#include "autodiff/kernels/softmax.hpp"

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <vector>

#include "tests/kernel_data.hpp"

using namespace hindsight;
using namespace hindsight::kernels;
using Catch::Matchers::WithinAbs;

namespace {

template <class T>
constexpr double tolerance = 16 * double(std::numeric_limits<T>::epsilon());

template <class T>
void check_close(const std::vector<T>& a, const std::vector<double>& expected, double within = tolerance<T>) {
  REQUIRE(a.size() == expected.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isinf(expected[i])) CHECK(a[i] == expected[i]);
    else CHECK_THAT(a[i], WithinAbs(expected[i], within));
  }
}

// The kernels for one row.
template <class T>
using Row = std::vector<T>;

template <class T>
Row<T> softmax(Row<T> x, const Row<T>& mask = {}) {
  kernels::softmax({1, x.size(), 1}, x.data(), mask.empty() ? nullptr : mask.data(), x.data());
  return x;
}
template <class T>
Row<T> log_softmax(Row<T> x, const Row<T>& mask = {}) {
  kernels::log_softmax({1, x.size(), 1}, x.data(), mask.empty() ? nullptr : mask.data(), x.data());
  return x;
}
template <class T>
T logsumexp(const Row<T>& x, const Row<T>& mask = {}) {
  T y = 9;
  kernels::logsumexp({1, x.size(), 1}, x.data(), mask.empty() ? nullptr : mask.data(), &y);
  return y;
}
template <class T>
Row<T> logsumexp_gradient(const Row<T>& x, const Row<T>& mask = {}) {
  const T y = logsumexp(x, mask), dy = 1;
  Row<T> dx(x.size());
  kernels::logsumexp_backward({1, x.size(), 1}, x.data(), mask.empty() ? nullptr : mask.data(), &y, &dy, dx.data());
  return dx;
}

/// Calls f(layout) for sizes of the axis around the vector width, and for few and many slices.
template <class T, class F>
void for_each_layout(F f) {
  for (const std::size_t n : sizes<T>())
    for (const std::size_t inner : {std::size_t{1}, std::size_t{2}, lanes<T>(), lanes<T>() + 1})
      f(AxisLayout{3, n, inner});
}

/// All of a kernel's results must be those of each slice by itself, computed in double by sums over all pairs:
/// p_i = e_i / sum e, and the gradient of sum_k w_k y_k is sum_k w_k (partial y_k / partial x_i).
template <class T>
void check_against_definition(AxisLayout a, bool masked) {
  const std::size_t size = a.elements();
  auto x = numbers<T>(size, "x");
  const auto dy = numbers<T>(size, "dy"), dlse = numbers<T>(a.results(), "dlse"), start = numbers<T>(size, "dx");
  const auto mask = masked ? random_mask<T>(size) : std::vector<T>(size, 1);
  for (std::size_t i = 0; i < size; ++i)
    if (mask[i] == 0) x[i] = i % 2 ? not_a_number<T> : inf<T>;
  const T* const m = masked ? mask.data() : nullptr;
  std::vector<T> y(size), log_y(size), lse(a.results()), dx = start, dlog = start, dx_lse = start;
  kernels::softmax(a, x.data(), m, y.data());
  softmax_backward(a, y.data(), dy.data(), dx.data());
  kernels::log_softmax(a, x.data(), m, log_y.data());
  log_softmax_backward(a, log_y.data(), dy.data(), dlog.data());
  kernels::logsumexp(a, x.data(), m, lse.data());
  logsumexp_backward(a, x.data(), m, lse.data(), dlse.data(), dx_lse.data());

  for (std::size_t r = 0; r < a.results(); ++r) {
    const auto at = [&](std::size_t i) { return (r / a.inner * a.n + i) * a.inner + r % a.inner; };
    double total = 0;
    for (std::size_t i = 0; i < a.n; ++i)
      if (mask[at(i)] != 0) total += std::exp(double(x[at(i)]));
    const auto p = [&](std::size_t i) { return mask[at(i)] == 0 ? 0 : std::exp(double(x[at(i)])) / total; };
    if (total == 0) CHECK(lse[r] == -inf<T>);
    else CHECK_THAT(lse[r], WithinAbs(std::log(total), tolerance<T>));
    for (std::size_t i = 0; i < a.n; ++i) {
      double slope = 0, log_slope = 0;
      for (std::size_t k = 0; k < a.n; ++k) {
        if (mask[at(k)] == 0) continue;
        slope += dy[at(k)] * p(k) * ((i == k) - p(i));
        log_slope += dy[at(k)] * ((i == k) - p(i));
      }
      const bool kept = mask[at(i)] != 0;
      INFO(a.n << " x " << a.inner << ", element " << i << " of " << r << (kept ? "" : ", masked"));
      CHECK_THAT(y[at(i)], WithinAbs(p(i), kept ? tolerance<T> : 0));
      CHECK_THAT(dx[at(i)], WithinAbs(start[at(i)] + slope, kept ? tolerance<T> : 0));
      if (kept) CHECK_THAT(log_y[at(i)], WithinAbs(x[at(i)] - std::log(total), tolerance<T>));
      else CHECK(log_y[at(i)] == -inf<T>);
      CHECK_THAT(dlog[at(i)], WithinAbs(start[at(i)] + (kept ? log_slope : 0), kept ? 4 * tolerance<T> : 0));
      CHECK_THAT(dx_lse[at(i)], WithinAbs(start[at(i)] + dlse[r] * p(i), kept ? tolerance<T> : 0));
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("softmax and its relatives are what their definitions say", "", float, double) {
  for_each_layout<TestType>([](AxisLayout a) {
    check_against_definition<TestType>(a, false);
    check_against_definition<TestType>(a, true);
  });
}

TEMPLATE_TEST_CASE("a slice has the same bits as a row, as a column, and padded", "", float, double) {
  using T = TestType;
  for_each_layout<T>([](AxisLayout a) {
    const auto x = numbers<T>(a.elements(), "x");
    std::vector<T> y(a.elements()), lse(a.results());
    kernels::softmax<T>(a, x.data(), nullptr, y.data());
    kernels::logsumexp<T>(a, x.data(), nullptr, lse.data());
    for (std::size_t r = 0; r < a.results(); ++r) {
      Row<T> row, result;
      for (std::size_t i = 0; i < a.n; ++i) {
        row.push_back(x[(r / a.inner * a.n + i) * a.inner + r % a.inner]);
        result.push_back(y[(r / a.inner * a.n + i) * a.inner + r % a.inner]);
      }
      CHECK(same_bits(softmax(row), result));
      CHECK(same_bits(Row<T>{logsumexp(row)}, Row<T>{lse[r]}));
      Row<T> mask(a.n, 1), padded = row;
      padded.resize(a.n + 19, not_a_number<T>);
      mask.resize(a.n + 19, 0);
      result.resize(a.n + 19, 0);
      CHECK(same_bits(softmax(padded, mask), result));
    }
  });
}

TEMPLATE_TEST_CASE("a fully masked row is zero and disturbs no other", "", float, double) {
  using T = TestType;
  const Row<T> x{1, 2, 5, 1, 2, 5}, mask{1, 1, 0, 0, 0, 0}, dy{1, 3, not_a_number<T>, 1, 3, not_a_number<T>};
  Row<T> y(6), dx(6), log_y(6), dlog(6), lse(2), dlse(6);
  const AxisLayout a{2, 3, 1};
  kernels::softmax(a, x.data(), mask.data(), y.data());
  check_close(y, {0.268941421369995, 0.731058578630005, 0, 0, 0, 0});
  softmax_backward(a, y.data(), dy.data(), dx.data());
  check_close(dx, {-0.393223866482964, 0.393223866482964, 0, 0, 0, 0});  // y0 y1 (1 - 3)
  kernels::log_softmax(a, x.data(), mask.data(), log_y.data());
  check_close(log_y, {-1.31326168751822, -0.313261687518223, -inf<T>, -inf<T>, -inf<T>, -inf<T>});
  log_softmax_backward(a, log_y.data(), dy.data(), dlog.data());
  check_close(dlog, {1 - 4 * 0.268941421369995, 3 - 4 * 0.731058578630005, 0, 0, 0, 0});
  kernels::logsumexp(a, x.data(), mask.data(), lse.data());
  check_close(lse, {2.31326168751822, -inf<T>});
  logsumexp_backward(a, x.data(), mask.data(), lse.data(), dy.data(), dlse.data());
  check_close(dlse, {0.268941421369995, 0.731058578630005, 0, 0, 0, 0});
}

TEMPLATE_TEST_CASE("a score of -inf is as good as masked, a finite fill is not", "", float, double) {
  using T = TestType;
  check_close(softmax(Row<T>{1, 2, -inf<T>}), {0.268941421369995, 0.731058578630005, 0});
  check_close(softmax(Row<T>{1, 2, T(-1e30)}), {0.268941421369995, 0.731058578630005, 0});
  CHECK(softmax(Row<T>{-inf<T>, -inf<T>}) == Row<T>{0, 0});
  CHECK(log_softmax(Row<T>{-inf<T>, -inf<T>}) == Row<T>{-inf<T>, -inf<T>});
  check_close(softmax(Row<T>(3, T(-1e30))), {1. / 3, 1. / 3, 1. / 3});
}

TEMPLATE_TEST_CASE("NaN and +inf at a kept place make the row NaN, no other", "", float, double) {
  using T = TestType;
  for (const T bad : {not_a_number<T>, inf<T>})
    for (std::size_t at = 0; at < 18; ++at) {
      Row<T> x(20, 1), mask(20, 1);
      x[at] = bad;
      mask[19] = 0;
      const auto y = softmax(x, mask), log_y = log_softmax(x, mask);
      CHECK(std::all_of(y.begin(), y.end() - 1, [](T v) { return std::isnan(v); }));
      CHECK(std::all_of(log_y.begin(), log_y.end() - 1, [](T v) { return std::isnan(v); }));
      CHECK((y[19] == 0 && log_y[19] == -inf<T>));
      CHECK((std::isnan(bad) ? std::isnan(logsumexp(x, mask)) : logsumexp(x, mask) == inf<T>));
      std::vector<T> columns(40, 1);
      columns[2 * at] = bad;
      kernels::softmax<T>({1, 20, 2}, columns.data(), nullptr, columns.data());
      for (std::size_t i = 0; i < 20; ++i) {
        CHECK(std::isnan(columns[2 * i]));
        CHECK_THAT(columns[2 * i + 1], WithinAbs(0.05, tolerance<T>));
      }
    }
}

TEMPLATE_TEST_CASE("logsumexp shares ties and survives infinities", "", float, double) {
  using T = TestType;
  CHECK_THAT(logsumexp(Row<T>{T(0.7), T(0.7)}), WithinAbs(0.7 + std::log(2), tolerance<T>));
  check_close(logsumexp_gradient(Row<T>{T(0.7), T(0.7)}), {0.5, 0.5});
  CHECK_THAT(logsumexp(Row<T>{1, 1, 0}), WithinAbs(1 + std::log(2 + std::exp(-1)), tolerance<T>));
  check_close(logsumexp_gradient(Row<T>{1, 1, 0}), {0.422318798, 0.422318798, 0.155362403}, 1e-7);
  CHECK(logsumexp(Row<T>{-inf<T>, -inf<T>}) == -inf<T>);
  CHECK(logsumexp_gradient(Row<T>{-inf<T>, -inf<T>}) == Row<T>{0, 0});
  CHECK(logsumexp(Row<T>{-inf<T>, 2}) == 2);
  CHECK(logsumexp_gradient(Row<T>{-inf<T>, 2}) == Row<T>{0, 1});
  CHECK(logsumexp(Row<T>{inf<T>, 1}) == inf<T>);
  CHECK(logsumexp(Row<T>{}) == -inf<T>);
  CHECK(logsumexp(Row<T>{1000, -1000}) == 1000);
}

TEMPLATE_TEST_CASE("log_softmax keeps its digits under a large common part", "", float, double) {
  check_close(log_softmax(Row<TestType>{100001, 100002}), {-1.31326168751822, -0.313261687518223});
}
