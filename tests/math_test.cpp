// The vector functions against long double, at their limits and over their ranges.
#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tests/math_functions.hpp"

namespace {

using namespace hindsight;
using namespace hindsight::math_test;

/// The largest error over `count` inputs from low to high, evenly spread or by constant factors;
/// NaN if any is.
enum class Spread { even, geometric };
template <class T, class F>
double worst(F f, double low, double high, Spread spread = Spread::even, int count = 20'001) {
  std::vector<T> x(std::size_t(count), T(0));
  for (int i = 0; i < count; ++i) {
    const long double t = (long double)(i) / (count - 1);
    x[std::size_t(i)] = T(spread == Spread::even ? low + (high - low) * t
                                                 : low * std::pow((long double)(high) / low, t));
  }
  const std::vector<T> y = map(f, x);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double error = ulps(y[i], f((long double)(x[i])));
    if (std::isnan(error)) return error;
    largest = std::max(largest, error);
  }
  return largest;
}

}  // namespace

TEMPLATE_TEST_CASE("exact values and limits", "[math]", float, double) {
  using T = TestType;
  const T inf = infinity<T>;
  const T largest = std::numeric_limits<T>::max();

  CHECK(at<T>(exp_of, 0) == 1);
  CHECK(at<T>(exp_of, -inf) == 0);
  CHECK(at<T>(exp_of, inf) == inf);
  CHECK(at<T>(exp_of, largest) == inf);
  CHECK(at<T>(exp_of, -largest) == 0);

  CHECK(at<T>(expm1_of, 0) == 0);
  CHECK(at<T>(expm1_of, -inf) == -1);
  CHECK(at<T>(expm1_of, inf) == inf);

  CHECK(at<T>(sigmoid_of, 0) == T(0.5));
  CHECK(at<T>(sigmoid_of, -inf) == 0);
  CHECK(at<T>(sigmoid_of, inf) == 1);

  CHECK(bits(at<T>(tanh_of, 0)) == bits(T(0)));
  CHECK(bits(at<T>(tanh_of, -T(0))) == bits(-T(0)));
  CHECK(at<T>(tanh_of, 1000) == 1);
  CHECK(at<T>(tanh_of, -inf) == -1);
  CHECK(at<T>(tanh_of, std::numeric_limits<T>::denorm_min()) ==
        std::numeric_limits<T>::denorm_min());

  CHECK(at<T>(log_of, 1) == 0);
  CHECK(at<T>(log_of, 0) == -inf);
  CHECK(at<T>(log_of, -T(0)) == -inf);
  CHECK(at<T>(log_of, inf) == inf);
  CHECK(std::isnan(at<T>(log_of, -std::numeric_limits<T>::denorm_min())));
  CHECK(std::isnan(at<T>(log_of, -inf)));

  CHECK(at<T>(log1p_of, 0) == 0);
  CHECK(at<T>(log1p_of, -1) == -inf);
  CHECK(at<T>(log1p_of, inf) == inf);
  CHECK(std::isnan(at<T>(log1p_of, T(-1.0001))));
  CHECK(std::isnan(at<T>(log1p_of, -inf)));

  CHECK(at<T>(softplus_of, -inf) == 0);
  CHECK(at<T>(softplus_of, inf) == inf);
  CHECK(at<T>(softplus_of, largest) == largest);

  CHECK(at<T>(sin_of, 0) == 0);
  CHECK(at<T>(cos_of, 0) == 1);
  CHECK(std::isnan(at<T>(sin_of, inf)));
  CHECK(std::isnan(at<T>(cos_of, -inf)));
}

TEST_CASE("exp overflows between the two numbers around the logarithm of the largest", "[math]") {
  CHECK(std::isfinite(at<float>(exp_of, 88.72283f)));  // log(FLT_MAX) = 88.722839052
  CHECK(at<float>(exp_of, 88.72284f) == infinity<float>);
  CHECK(at<float>(expm1_of, 88.72284f) == infinity<float>);
  CHECK(std::isfinite(at<double>(exp_of, 709.782712893384)));  // log(DBL_MAX) = 709.7827128933840
  CHECK(at<double>(exp_of, 709.7827128933841) == infinity<double>);

  CHECK(at<float>(exp_of, -103.9f) == std::numeric_limits<float>::denorm_min());
  CHECK(at<float>(exp_of, -103.98f) == 0);  // e^-103.9721 is half of it
  CHECK(at<double>(exp_of, -745.1) == std::numeric_limits<double>::denorm_min());
  CHECK(at<double>(exp_of, -745.14) == 0);  // e^-745.1332 is half of it
}

TEMPLATE_TEST_CASE("NaN in is NaN out, in its own lane only", "[math]", float, double) {
  using T = TestType;
  const std::size_t lanes = hn::Lanes(Simd<T>());
  for_each_function([&](auto f) {
    INFO(f.text);
    for (const T bad : {not_a_number<T>, -not_a_number<T>}) {
      for (std::size_t where = 0; where < lanes; ++where) {
        std::vector<T> x(lanes, T(0.7));
        x[where] = bad;
        const std::vector<T> y = map(f, x);
        for (std::size_t i = 0; i < lanes; ++i) REQUIRE(std::isnan(y[i]) == (i == where));
      }
    }
  });
}

TEMPLATE_TEST_CASE("a lane's result depends on the lane's value alone", "[math]", float, double) {
  using T = TestType;
  const std::size_t lanes = hn::Lanes(Simd<T>());
  const std::vector<T> values = {T(0.3),       T(-1.7),         T(88.5), T(1e-30),
                                 T(9.5),       T(2e6),          -20,     infinity<T>,
                                 -infinity<T>, not_a_number<T>, 0,       T(3e7)};
  for_each_function([&](auto f) {
    INFO(f.text);
    for (std::size_t n = 0; n <= 2 * lanes + 1; ++n) {
      std::vector<T> x(n);
      for (std::size_t i = 0; i < n; ++i) x[i] = values[(i + n) % values.size()];
      const std::vector<T> y = map(f, x);
      for (std::size_t i = 0; i < n; ++i) {
        const T alone = at<T>(f, x[i]);
        REQUIRE((std::isnan(alone) ? std::isnan(y[i]) : bits(y[i]) == bits(alone)));
      }
    }
  });
}

TEMPLATE_TEST_CASE("the error against long double, in units in the last place", "[math]", float,
                   double) {
  using T = TestType;
  const bool is_float = sizeof(T) == sizeof(float);
  const double overflow = is_float ? 88.7 : 709.7, underflow = is_float ? -104 : -745.2;
  const double smallest = double(std::numeric_limits<T>::denorm_min());
  const double largest = double(std::numeric_limits<T>::max());
  const auto geometric = Spread::geometric;

  CHECK(worst<T>(exp_of, underflow, overflow) <= 2);
  CHECK(worst<T>(exp_of, -1, 1) <= 2);

  CHECK(worst<T>(expm1_of, -50, overflow) <= 2);
  CHECK(worst<T>(expm1_of, is_float ? 88.3 : 709.4, overflow) <= 2);  // where 2^n alone overflows
  CHECK(worst<T>(expm1_of, 1e-30, 1, geometric) <= 2);
  CHECK(worst<T>(expm1_of, -1e-30, -1, geometric) <= 2);
  CHECK(worst<T>(expm1_of, -1, 1) <= 2);

  CHECK(worst<T>(sigmoid_of, is_float ? -87.3 : -708.3, 50) <=
        3);  // as long as it is not subnormal
  CHECK(worst<T>(sigmoid_of, -2, 2) <= 3);

  CHECK(worst<T>(tanh_of, -25, 25) <= 3);
  CHECK(worst<T>(tanh_of, -1, 1) <= 3);
  CHECK(worst<T>(tanh_of, 1e-30, 1, geometric) <= 3);

  CHECK(worst<T>(log_of, smallest, largest, geometric) <= 2);
  CHECK(worst<T>(log_of, 0.4, 3) <= 2);
  CHECK(worst<T>(log_of, 0.999, 1.001) <= 2);

  CHECK(worst<T>(log1p_of, 1e-30, largest, geometric) <= 2);
  CHECK(worst<T>(log1p_of, -1e-30, -0.99999, geometric) <= 2);
  CHECK(worst<T>(log1p_of, -0.9999, 3) <= 2);

  CHECK(worst<T>(softplus_of, underflow, -underflow) <= 3);
  CHECK(worst<T>(softplus_of, -2, 2) <= 3);

  CHECK(worst<T>(sin_of, -3.14, 3.14) <= 3);
  CHECK(worst<T>(sin_of, 1e-30, 1, geometric) <= 3);
  CHECK(worst<T>(cos_of, -3.14, 3.14) <= 3);
  CHECK(worst<T>(sin_of, 2e7, 1e30, geometric) <= 3);
  CHECK(worst<T>(cos_of, 2e7, 1e30, geometric) <= 3);
}

TEST_CASE("sin and cos of many turns", "[math]") {
  CHECK(ulps(at<double>(sin_of, 1e22), -0.8522008497671888018L) <= 1);  // Payne and Hanek's example
  for (int k = 1; k < 3183;
       ++k) {  // up to the limit for float; past 1e4 the standard library answers
    const float x = float(k * 3.14159265358979323846L);
    const long double error = std::abs(at<float>(sin_of, x) - std::sin((long double)(x)));
    REQUIRE(error <= k * 2e-14L + 3 * std::ldexp(std::abs(std::sin((long double)(x))), -24));
    const float y = float((k - 0.5L) * 3.14159265358979323846L);
    REQUIRE(std::abs(at<float>(sin_of, y)) <= 1);
    REQUIRE(std::abs(at<float>(cos_of, x)) <= 1);
    REQUIRE(ulps(at<float>(sin_of, y), std::sin((long double)(y))) <= 3);
  }
}

TEST_CASE("cross-entropy of extreme logits", "[math][cases]") {
  CHECK(ulps(at<double>(softplus_of, -30), 9.357622968839736779e-14L) <= 4);
  CHECK(ulps(at<float>(softplus_of, -30), 9.357622968839736779e-14L) <= 4);
  CHECK(at<double>(softplus_of, 200) == 200);
  CHECK(at<float>(softplus_of, -200) == 0);
  CHECK(ulps(at<double>(softplus_of, 0), 0.69314718055994530942L) <= 1);
  CHECK(ulps(at<float>(softplus_of, 0), 0.69314718055994530942L) <= 1);
}

TEST_CASE("what logsumexp and a masked branch ask of exp and log", "[math][cases]") {
  CHECK(std::abs(0.7 + at<double>(log_of, 2) - 1.393147181) < 1e-9);  // logaddexp(0.7, 0.7)
  const double sum = 2 + at<double>(exp_of, -1);
  CHECK(std::abs(1 + at<double>(log_of, sum) - 1.861994804) < 1e-9);  // logsumexp(1, 1, 0)
  CHECK(at<float>(exp_of, 95) == infinity<float>);
  CHECK(std::abs(at<float>(exp_of, -1) - 0.367879441f) <= 3e-8f);
}
