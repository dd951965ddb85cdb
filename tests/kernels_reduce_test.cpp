// Sums, means and maxima along an axis, and the plain loops over memory.

#include "autodiff/kernels/reduce.hpp"

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <vector>

#include "autodiff/error.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using namespace hindsight::kernels;
using Catch::Matchers::Message;
using Catch::Matchers::WithinAbs;

namespace {

template <class T>
constexpr double tolerance = 64 * double(std::numeric_limits<T>::epsilon());

template <class T>
void check_against_definition(AxisLayout a, bool masked) {
  const std::size_t size = a.elements();
  auto x = numbers<T>(size, "x");
  const auto dy = numbers<T>(a.results(), "dy"), start = numbers<T>(size, "dx");
  const auto mask = masked ? random_mask<T>(size) : std::vector<T>(size, 1);
  for (std::size_t i = 0; i < size; ++i)
    if (mask[i] == 0) x[i] = i % 2 ? not_a_number<T> : inf<T>;
  const T* const m = masked ? mask.data() : nullptr;
  std::vector<T> total(a.results()), average(a.results()), largest(a.results());
  std::vector<T> dsum = start, dmean = start, dmax = start;
  std::vector<std::int32_t> argmax(a.results());
  sum(a, x.data(), m, total.data());
  sum_backward(a, m, dy.data(), dsum.data());
  mean(a, x.data(), m, average.data());
  mean_backward(a, m, dy.data(), dmean.data());
  kernels::max(a, x.data(), m, largest.data(), argmax.data());
  max_backward(a, argmax.data(), dy.data(), dmax.data());

  for (std::size_t r = 0; r < a.results(); ++r) {
    const auto at = [&](std::size_t i) { return (r / a.inner * a.n + i) * a.inner + r % a.inner; };
    double expected = 0, count = 0;
    std::int32_t first = -1;
    for (std::size_t i = 0; i < a.n; ++i) {
      if (mask[at(i)] == 0) continue;
      expected += x[at(i)];
      ++count;
      if (first < 0 || x[at(i)] > x[at(std::size_t(first))]) first = std::int32_t(i);
    }
    INFO(a.n << " x " << a.inner << ", result " << r);
    CHECK_THAT(total[r], WithinAbs(expected, tolerance<T>));
    CHECK_THAT(average[r], WithinAbs(count == 0 ? 0 : expected / count, tolerance<T>));
    CHECK(argmax[r] == first);
    CHECK(largest[r] == (first < 0 ? 0 : x[at(std::size_t(first))]));
    for (std::size_t i = 0; i < a.n; ++i) {
      const double kept = mask[at(i)] != 0 ? 1 : 0, was = start[at(i)];
      CHECK_THAT(dsum[at(i)], WithinAbs(was + kept * dy[r], kept * tolerance<T>));
      CHECK_THAT(dmean[at(i)], WithinAbs(kept == 0 ? was : was + dy[r] / count, kept * tolerance<T>));
      CHECK(dmax[at(i)] == (std::int32_t(i) == first ? T(was) + dy[r] : T(was)));
    }
  }
}

/// The value and place that max finds in one row.
template <class T>
std::pair<T, int> max_of(const std::vector<T>& x) {
  T y = 9;
  std::int32_t place = 9;
  kernels::max<T>({1, x.size(), 1}, x.data(), nullptr, &y, &place);
  return {y, place};
}

}  // namespace

TEMPLATE_TEST_CASE("reductions are what their definitions say", "", float, double) {
  for (const std::size_t n : sizes<TestType>())
    for (const std::size_t inner : {std::size_t{1}, std::size_t{2}, lanes<TestType>(), lanes<TestType>() + 1})
      for (const bool masked : {false, true}) check_against_definition<TestType>({3, n, inner}, masked);
}

TEMPLATE_TEST_CASE("a sum has the same bits along a row, a column, and padded", "", float, double) {
  using T = TestType;
  for (const std::size_t n : sizes<T>()) {
    const std::size_t width = lanes<T>() + 2;
    const auto x = numbers<T>(n * width, "x");
    std::vector<T> columns(width);
    sum<T>({1, n, width}, x.data(), nullptr, columns.data());
    for (std::size_t j = 0; j < width; ++j) {
      std::vector<T> row(n), mask(n, 1);
      for (std::size_t i = 0; i < n; ++i) row[i] = x[i * width + j];
      T alone = 9, padded = 9;
      sum<T>({1, n, 1}, row.data(), nullptr, &alone);
      row.resize(n + 23, not_a_number<T>);
      mask.resize(n + 23, 0);
      sum<T>({1, n + 23, 1}, row.data(), mask.data(), &padded);
      CHECK(alone == columns[j]);
      CHECK(padded == columns[j]);
    }
  }
}

TEST_CASE("the order of a sum is the documented one: sixteen partial sums") {
  std::vector<float> x(32, 0);
  float y = 9;
  x[0] = 1e8f, x[16] = -1e8f, x[1] = 1;  // partial 0 cancels before it meets partial 1
  sum<float>({1, 32, 1}, x.data(), nullptr, &y);
  CHECK(y == 1);
  x[16] = 0, x[8] = 1, x[4] = -1e8f;  // (1e8 + 1) - 1e8, and partial 1 last
  sum<float>({1, 32, 1}, x.data(), nullptr, &y);
  CHECK(y == 1);
}

TEMPLATE_TEST_CASE("max gives ties to the first, and NaN is the largest", "", float, double) {
  using T = TestType;
  CHECK(max_of<T>({1, 3, 2, 3}) == std::pair{T(3), 1});
  CHECK(max_of<T>({-inf<T>, -inf<T>}) == std::pair{-inf<T>, 0});
  CHECK(max_of<T>({-1, inf<T>, inf<T>}) == std::pair{inf<T>, 1});
  CHECK(max_of<T>({}) == std::pair{T(0), -1});
  for (std::size_t n = 1; n < 40; ++n)
    for (std::size_t at = 0; at < n; ++at) {
      std::vector<T> x(n, -3), with_nan = numbers<T>(n, "x");
      x[at] = -2;
      x[n - 1] = -2;
      CHECK(max_of(x) == std::pair{T(-2), int(at)});
      with_nan[at] = with_nan[n - 1] = not_a_number<T>;
      CHECK(std::isnan(max_of(with_nan).first));
      CHECK(max_of(with_nan).second == int(at));
    }
  CHECK_THROWS_AS(kernels::max<T>({1, (1 << 24) + 1, 1}, nullptr, nullptr, nullptr, nullptr), Error);
}

TEMPLATE_TEST_CASE("NaN stays in its slice", "", float, double) {
  using T = TestType;
  for (const std::size_t n : {std::size_t{3}, lanes<T>() + 1}) {
    std::vector<T> x(n * 2, 1), total(2), average(2);
    x[2 * (n - 1)] = not_a_number<T>;
    sum<T>({1, n, 2}, x.data(), nullptr, total.data());
    mean<T>({1, n, 2}, x.data(), nullptr, average.data());
    CHECK((std::isnan(total[0]) && total[1] == T(n)));
    CHECK((std::isnan(average[0]) && average[1] == 1));
  }
}

TEMPLATE_TEST_CASE("column_sum adds row by row, however the rows are split", "", float, double) {
  using T = TestType;
  for (const std::size_t cols : sizes<T>())
    for (const std::size_t rows : {0, 1, 3, 4, 5, 9}) {
      const std::size_t stride = cols + 3;
      const auto x = numbers<T>(rows * stride + 1, "x");
      auto whole = numbers<T>(cols + 1, "out"), expected = whole, pieces = whole;
      for (std::size_t r = 0; r < rows; ++r)
        for (std::size_t c = 0; c < cols; ++c) expected[c] += x[r * stride + c];
      column_sum(rows, cols, x.data(), stride, whole.data());
      const std::size_t half = rows / 2;
      column_sum(half, cols, x.data(), stride, pieces.data());
      column_sum(rows - half, cols, x.data() + half * stride, stride, pieces.data());
      CHECK(same_bits(whole, expected));
      CHECK(same_bits(pieces, expected));
    }
}

TEMPLATE_TEST_CASE("add at every size, and nothing past the end", "", float, double) {
  using T = TestType;
  for (const std::size_t n : sizes<T>()) {
    const auto x = numbers<T>(n, "x");
    auto y = numbers<T>(n + 1, "y"), expected = y;
    for (std::size_t i = 0; i < n; ++i) expected[i] += x[i];
    add(n, x.data(), y.data());
    CHECK(same_bits(y, expected));
  }
}

TEMPLATE_TEST_CASE("find_nan finds the first", "", float, double) {
  for (std::size_t n = 0; n < 40; ++n) {
    std::vector<TestType> x(n, inf<TestType>);
    CHECK(find_nan(n, x.data()) == n);
    for (std::size_t at = n; at-- > 0;) {
      x[at] = not_a_number<TestType>;
      CHECK(find_nan(n, x.data()) == at);
    }
  }
}

TEMPLATE_TEST_CASE("repeated ids add up, the padding row gets nothing", "", float, double) {
  using T = TestType;
  const std::vector<std::int32_t> ids{2, 0, 2, 2};
  const std::vector<T> dy{1, 10, 2, 20, 3, 30, 4, 40};
  std::vector<T> table(6), out(8);
  scatter_add_rows(table.data(), ids.data(), 4, 2, dy.data(), -1);
  CHECK(table == std::vector<T>{2, 20, 0, 0, 8, 80});
  gather_rows(table.data(), ids.data(), 4, 2, out.data());
  CHECK(out == std::vector<T>{8, 80, 2, 20, 8, 80, 8, 80});
  for (std::size_t n = 1; n <= 2000; n += 111) {
    std::vector<T> one(6), many(2 * n, 1);
    const std::vector<std::int32_t> pads(n, 1);
    scatter_add_rows(one.data(), pads.data(), n, 2, many.data(), 1);
    CHECK(one == std::vector<T>(6));
    scatter_add_rows(one.data(), pads.data(), n, 2, many.data(), 0);
    CHECK(one == std::vector<T>{0, 0, T(n), T(n), 0, 0});
  }
}

TEST_CASE("an id outside the table is an error that names its place") {
  for (const std::int32_t bad : {-1, 3}) {
    const std::vector<std::int32_t> ids{0, 2, bad};
    CHECK_THROWS_MATCHES(check_ids(3, ids.data(), 3), Error,
                         Message("embedding: id " + std::to_string(bad) +
                                 " at position 2 is not a row of the table (0 to 3 exclusive)"));
    check_ids(2, ids.data(), 3);
  }
}
