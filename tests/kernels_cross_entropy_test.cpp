// Cross-entropy: extreme logits, ignored rows, invalid targets, label smoothing.

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <vector>

#include "autodiff/error.hpp"
#include "autodiff/kernels/softmax.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using namespace hindsight::kernels;
using Catch::Matchers::Message;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

template <class T>
struct Result {
  std::vector<T> loss, lse, gradient;
};

/// Losses, and the gradient of their sum added to `start` everywhere.
template <class T>
Result<T> run(const CrossEntropy& c, const std::vector<T>& logits, const std::vector<std::int32_t>& targets,
              T start = 0) {
  Result<T> r{std::vector<T>(c.rows, 9), std::vector<T>(c.rows, 9), std::vector<T>(logits.size(), start)};
  const std::vector<T> ones(c.rows, 1);
  check_targets(c, targets.data());
  cross_entropy(c, logits.data(), targets.data(), r.loss.data(), r.lse.data());
  cross_entropy_backward(c, logits.data(), targets.data(), r.lse.data(), ones.data(), r.gradient.data());
  return r;
}

template <class T>
constexpr double tolerance = 16 * double(std::numeric_limits<T>::epsilon());

}  // namespace

TEMPLATE_TEST_CASE("cross-entropy of extreme logits is finite and right", "", float, double) {
  const auto r = run<TestType>({1, 3}, {1000, 0, -1000}, {2});
  CHECK(r.loss[0] == 2000);
  CHECK(r.gradient == std::vector<TestType>{1, 0, -1});
  CHECK_THAT(run<TestType>({1, 2}, {0, 30}, {1}).loss[0], WithinRel(9.357622968839742e-14, tolerance<TestType>));
  CHECK(run<TestType>({1, 2}, {-inf<TestType>, 3}, {1}).loss[0] == 0);
  CHECK(run<TestType>({1, 2}, {-inf<TestType>, 3}, {0}).loss[0] == inf<TestType>);
}

TEMPLATE_TEST_CASE("an ignored row counts for nothing, whatever it holds", "", float, double) {
  using T = TestType;
  const auto r = run<T>({2, 3, -1}, {1, 2, 3, inf<T>, not_a_number<T>, 0}, {0, -1}, 0);
  CHECK_THAT(r.loss[0], WithinAbs(2.40760596444438, tolerance<T>));
  CHECK(r.loss[1] == 0);
  const double expected[] = {-0.909969426829620, 0.244728471054798, 0.665240955774822};
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK_THAT(r.gradient[k], WithinAbs(expected[k], tolerance<T>));
    CHECK(r.gradient[3 + k] == 0);
  }
  CHECK(run<T>({1, 3, 1}, {1, 2, 3}, {1}).loss[0] == 0);  // an ignored id may be a class
  CHECK(run<T>({1, 3, 1}, {1, 2, 3}, {1}, 5).gradient == std::vector<T>{5, 5, 5});
}

TEST_CASE("an invalid target is an error that names its place") {
  for (const std::int32_t bad : {-4, 3, 1 << 30}) {
    const std::vector<std::int32_t> targets{0, -1, bad, 2};
    CHECK_THROWS_MATCHES(check_targets({4, 3, -1}, targets.data()), Error,
                         Message("cross_entropy: target " + std::to_string(bad) +
                                 " at position 2 is neither a class (0 to 3 exclusive) nor the ignored id -1"));
  }
  check_targets({0, 3}, nullptr);
}

TEMPLATE_TEST_CASE("cross-entropy is what its definition says, smoothed or not", "", float, double) {
  using T = TestType;
  for (const std::size_t classes : sizes<T>())
    for (const double s : {0.0, 0.1, 1.0}) {
      if (classes == 0) continue;
      const CrossEntropy c{3, classes, -1, s};
      const auto x = numbers<T>(3 * classes, "logits");
      const std::vector<std::int32_t> targets{0, -1, std::int32_t(classes - 1)};
      const auto r = run<T>(c, x, targets, T(0.5));
      for (std::size_t row = 0; row < 3; ++row) {
        double total = 0, mean = 0;
        const T* const logits = x.data() + row * classes;
        for (std::size_t k = 0; k < classes; ++k) {
          total += std::exp(double(logits[k]));
          mean += double(logits[k]) / double(classes);
        }
        const std::int32_t t = targets[row];
        if (t >= 0) {
          CHECK_THAT(r.lse[row], WithinAbs(std::log(total), tolerance<T>));
          CHECK_THAT(r.loss[row], WithinAbs(std::log(total) - (1 - s) * logits[t] - s * mean, tolerance<T>));
        }
        for (std::size_t k = 0; k < classes; ++k) {
          const double wanted = (t == std::int32_t(k) ? 1 - s : 0) + s / double(classes);
          const double slope = t < 0 ? 0 : std::exp(double(logits[k])) / total - wanted;
          CHECK_THAT(r.gradient[row * classes + k], WithinAbs(0.5 + slope, tolerance<T>));
        }
      }
    }
}

TEMPLATE_TEST_CASE("label smoothing by hand", "", float, double) {
  // lse(1, 2, 3) = 3.40760596444438; 0.9 * 1 + 0.1 * 2 = 1.1
  CHECK_THAT(run<TestType>({1, 3, -1, 0.1}, {1, 2, 3}, {0}).loss[0], WithinAbs(2.30760596444438, tolerance<TestType>));
}

TEMPLATE_TEST_CASE("a NaN logit makes its own row NaN, no other", "", float, double) {
  using T = TestType;
  for (const double s : {0.0, 0.1}) {
    const auto r = run<T>({2, 3, -1, s}, {1, not_a_number<T>, 3, 1, 2, 3}, {0, 0});
    CHECK(std::isnan(r.loss[0]));
    CHECK(std::all_of(r.gradient.begin(), r.gradient.begin() + 3, [](T g) { return std::isnan(g); }));
    CHECK(std::isfinite(r.loss[1]));
    CHECK(std::all_of(r.gradient.begin() + 3, r.gradient.end(), [](T g) { return std::isfinite(g); }));
  }
}

TEMPLATE_TEST_CASE("a row that is no distribution has loss NaN", "", float, double) {
  using T = TestType;
  CHECK(std::isnan(run<T>({1, 2}, {-inf<T>, -inf<T>}, {0}).loss[0]));
  CHECK(std::isnan(run<T>({1, 2}, {inf<T>, 0}, {0}).loss[0]));
  CHECK(std::isnan(run<T>({1, 2}, {inf<T>, 0}, {1}).loss[0]));
}

TEMPLATE_TEST_CASE("each row's gradient is scaled by its own dloss", "", float, double) {
  using T = TestType;
  const std::vector<T> x{0, 0, 0, 0}, dloss{2, -4};
  const std::vector<std::int32_t> targets{0, 1};
  std::vector<T> loss(2), lse(2), dx(4);
  cross_entropy({2, 2}, x.data(), targets.data(), loss.data(), lse.data());
  cross_entropy_backward({2, 2}, x.data(), targets.data(), lse.data(), dloss.data(), dx.data());
  const double expected[] = {-1, 1, -2, 2};
  for (std::size_t i = 0; i < 4; ++i) CHECK_THAT(dx[i], WithinAbs(expected[i], tolerance<T>));
}
