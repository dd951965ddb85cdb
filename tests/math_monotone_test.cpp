// Functions that rise never step back: number by number over the ranges where others have, and
// where the reduction of the argument changes.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tests/math_functions.hpp"

namespace {

using namespace hindsight;
using namespace hindsight::math_test;

/// Whether f never falls over every T from low to high, and `holds(x, f(x))` for each of them.
template <class T, class F, class Holds>
bool rises(F f, T low, T high, Holds holds) {
  T last = -infinity<T>;
  std::vector<T> x;
  for (T next = low; next <= high; x.clear()) {
    for (; x.size() < 4096 && next <= high; next = std::nextafter(next, infinity<T>))
      x.push_back(next);
    const std::vector<T> y = map(f, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!(y[i] >= last) || !holds(x[i], y[i])) {
        UNSCOPED_INFO(F::text << "(" << x[i] << ") = " << y[i] << " after " << last);
        return false;
      }
      last = y[i];
    }
  }
  return true;
}

template <class T, class F>
bool rises(F f, T low, T high) {
  return rises(f, low, high, [](T, T) { return true; });
}

/// The same over the `steps` T's on either side of x.
template <class T, class F>
bool rises_around(F f, T x, int steps) {
  const T reach = T(steps) * (std::nextafter(std::abs(x), infinity<T>) - std::abs(x));
  return rises(f, x - reach, x + reach);
}

}  // namespace

TEST_CASE("tanh never passes 1, never falls, and is odd bit for bit", "[math][cases]") {
  const auto holds = [](float x, float y) {
    return std::abs(y) <= 1 && (std::abs(x) < 10 || std::abs(y) == 1);
  };
  CHECK(rises(tanh_of, 7.0f, 10.0f, holds));
  CHECK(rises(tanh_of, -10.0f, -7.0f, holds));
  CHECK(at<float>(tanh_of, 10.0f) == 1);
  CHECK(at<float>(tanh_of, 8.4f) < 1);

  std::vector<float> x, minus_x;
  for (float a = 1e-30f; a < 30; a *= 1.0007f) x.push_back(a), minus_x.push_back(-a);
  const std::vector<float> y = map(tanh_of, x), z = map(tanh_of, minus_x);
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(bits(z[i]) == bits(-y[i]));

  CHECK(ulps(at<float>(tanh_of, 1e-4f), std::tanh((long double)(1e-4f))) <= 2);
}

TEST_CASE("sigmoid is never negative and never falls", "[math][cases]") {
  CHECK(rises(sigmoid_of, -90.0f, -10.0f, [](float, float y) { return !std::signbit(y); }));
  CHECK(ulps(at<float>(sigmoid_of, -17.3f), 1 / (1 + std::exp((long double)(17.3f)))) <= 4);
  CHECK(ulps(at<float>(sigmoid_of, -20), 2.0611536181902037e-9L) <= 4);
}

TEST_CASE("no step back where the argument's reduction changes", "[math]") {
  const float ln2 = 0.693147180559945f;
  for (int n = -120; n <= 120; ++n) {
    const float seam = (float(n) + 0.5f) * ln2;
    CHECK(rises_around(exp_of, seam, 500));
    CHECK(rises_around(expm1_of, seam, 500));
    CHECK(rises_around(sigmoid_of, seam, 500));
    CHECK(rises_around(tanh_of, seam / 2, 500));
    CHECK(rises_around(log_of, std::ldexp(std::sqrt(0.5f), n), 500));
  }
  for (int n = -8; n <= 30; ++n) {
    CHECK(rises_around(log1p_of, std::ldexp(std::sqrt(0.5f), n) - 1, 500));
  }
  for (const double seam : {0.34657359027997264, 1.0397207708399179, 1.732867951399863}) {
    for (const double x : {seam, -seam}) {
      CHECK(rises_around(exp_of, x, 500));
      CHECK(rises_around(sigmoid_of, x, 500));
      CHECK(rises_around(tanh_of, x / 2, 500));
    }
  }
}
