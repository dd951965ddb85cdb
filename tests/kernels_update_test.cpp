// Norms that cannot overflow, and the update rules against their papers and PyTorch.

#include "autodiff/kernels/update.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/kernel_data.hpp"

using namespace hindsight;
using namespace hindsight::kernels;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

template <class T>
double norm(const std::vector<T>& x) {
  return sum_of_squares(x.size(), x.data()).norm();
}

/// PyTorch's digits: what one scalar parameter does under a rule, here in every lane of a vector.
template <class T, class Rule>
void check_path(std::vector<double> gradients, double start, std::vector<double> path, Rule rule) {
  for (const std::size_t n : sizes<T>()) {
    std::vector<T> w(n + 1, T(start)), g(n + 1), m(n + 1), v(n + 1);
    for (std::size_t t = 0; t < gradients.size(); ++t) {
      g.assign(n + 1, T(gradients[t]));
      rule(n, w.data(), g.data(), m.data(), v.data(), double(t + 1));
      for (std::size_t i = 0; i < n; ++i)
        CHECK_THAT(w[i], WithinAbs(path[t], 20 * std::numeric_limits<T>::epsilon()));
      CHECK(w[n] == T(start));
      CHECK(m[n] == 0);
      CHECK(v[n] == 0);
    }
  }
}

AdamStep at_step(AdamStep s, double t) {
  s.correction1 = 1 - std::pow(s.beta1, t);
  s.correction2 = 1 - std::pow(s.beta2, t);
  return s;
}

constexpr auto adam_rule(double rate, double epsilon, double decay) {
  return [=](std::size_t n, auto* w, const auto* g, auto* m, auto* v, double t) {
    const AdamStep s{.rate = rate, .epsilon = epsilon, .weight_decay = decay, .correction1 = 0,
                     .correction2 = 0};
    adam(n, w, g, m, v, at_step(s, t));
  };
}

}  // namespace

TEMPLATE_TEST_CASE("the norm is the root of the sum of squares at every size", "", float, double) {
  for (const std::size_t n : sizes<TestType>()) {
    const auto x = numbers<TestType>(n, "norm");
    long double expected = 0;
    for (const TestType v : x) expected += static_cast<long double>(v) * v;
    CHECK_THAT(norm(x), WithinRel(double(std::sqrt(expected)), 1e-14));
  }
  CHECK(norm(std::vector<TestType>{3, 4}) == 5);
}

TEMPLATE_TEST_CASE("the norm neither overflows nor underflows on the way", "", float, double) {
  CHECK_THAT(norm(std::vector<TestType>(4, TestType(3e19))), WithinRel(6e19, 1e-7));
  CHECK_THAT(norm(std::vector<TestType>(4, TestType(1e-30))), WithinRel(2e-30, 1e-7));
  CHECK(norm(std::vector<TestType>(4, std::numeric_limits<TestType>::denorm_min())) ==
        2 * double(std::numeric_limits<TestType>::denorm_min()));
  CHECK_THAT(norm(std::vector<TestType>(9, std::numeric_limits<TestType>::max() / 4)),
             WithinRel(0.75 * double(std::numeric_limits<TestType>::max()), 1e-7));
  CHECK(norm(std::vector<TestType>(5, 0)) == 0);
}

TEST_CASE("doubles of every size enter the norm") {
  CHECK_THAT(norm(std::vector{3e200, 4e200, 1.0, 1e-300}), WithinRel(5e200, 1e-15));
  CHECK_THAT(norm(std::vector{3e-200, 4e-200, 1e-300}), WithinRel(5e-200, 1e-15));
  CHECK_THAT(norm(std::vector{3e147, 4e147}), WithinRel(5e147, 1e-15));  // one each side of 2^490
  CHECK_THAT(norm(std::vector{3e-151, 4e-151}), WithinRel(5e-151, 1e-15));  // and of 2^-500
}

TEMPLATE_TEST_CASE("a norm with infinity or NaN in it is not finite", "", float, double) {
  for (const TestType bad : {inf<TestType>, -inf<TestType>, not_a_number<TestType>})
    for (std::size_t at = 0; at < 19; ++at) {
      std::vector<TestType> x(19, 1);
      x[at] = bad;
      CHECK_FALSE(std::isfinite(norm(x)));
    }
}

TEST_CASE("sums of squares of parameters add up to the global norm") {
  const std::vector<float> a{3}, b{4};
  SquareSum total = sum_of_squares(1, a.data());
  total += sum_of_squares(1, b.data());
  CHECK(total.norm() == 5);
  const std::vector<double> big{3e300}, bigger{4e300};
  total = sum_of_squares(1, big.data());
  total += sum_of_squares(1, bigger.data());
  CHECK_THAT(total.norm(), WithinRel(5e300, 1e-15));
}

TEMPLATE_TEST_CASE("sgd with momentum and decay follows PyTorch", "", float, double) {
  check_path<TestType>({0.3, -0.2, 0.05}, 0.5, {0.4695, 0.4615805, 0.4489913695},
                       [](std::size_t n, auto* w, const auto* g, auto*, auto* v, double) {
                         sgd(n, w, g, v, {.rate = 0.1, .momentum = 0.9, .weight_decay = 0.01});
                       });
}

TEMPLATE_TEST_CASE("sgd without momentum needs no state", "", float, double) {
  check_path<TestType>({2, -1}, 1, {0.8, 0.9},
                       [](std::size_t n, auto* w, const auto* g, auto*, auto*, double) {
                         sgd<TestType>(n, w, g, nullptr, {.rate = 0.1});
                       });
}

TEMPLATE_TEST_CASE("rmsprop follows PyTorch", "", float, double) {
  check_path<TestType>(
      {0.3, -0.2, 0.05}, 0.5, {0.4687017277495927, 0.4862351625235026, 0.4811153406250787},
      [](std::size_t n, auto* w, const auto* g, auto*, auto* v, double) {
        rmsprop(n, w, g, v, {.rate = 0.01, .decay = 0.9, .epsilon = 1e-3, .weight_decay = 0.01});
      });
}

TEMPLATE_TEST_CASE("adam puts epsilon outside the root, after the correction", "", float, double) {
  check_path<TestType>({0.01, 0.01, -0.02}, 0, {-0.05, -0.1, -0.0955681057311872},
                       adam_rule(0.1, 0.01, 0));
}

TEST_CASE("adam moves by the rate under a constant gradient") {
  std::vector<double> w{0}, g{1}, m{0}, v{0};
  for (int t = 1; t <= 3; ++t) {
    adam_rule(0.1, 1e-8, 0)(1, w.data(), g.data(), m.data(), v.data(), t);
    CHECK_THAT(w[0], WithinAbs(-0.1 * t, 1e-8));
  }
}

TEMPLATE_TEST_CASE("adam's decay is part of the gradient", "", float, double) {
  check_path<TestType>({0.3, -0.2, 0.05}, 0.5,
                       {0.4027777777777778, 0.3737967259804897, 0.3385361591841696},
                       adam_rule(0.1, 0.01, 0.1));
}

TEMPLATE_TEST_CASE("adamw's decay is not", "", float, double) {
  check_path<TestType>({0.3, -0.2, 0.05}, 0.5,
                       {0.3982258064516129, 0.3803370073149241, 0.35758795040486935},
                       [](std::size_t n, auto* w, const auto* g, auto* m, auto* v, double t) {
                         const AdamStep s{.rate = 0.1, .epsilon = 0.01, .weight_decay = 0.1,
                                          .correction1 = 0, .correction2 = 0};
                         adamw(n, w, g, m, v, at_step(s, t));
                       });
}

TEMPLATE_TEST_CASE("an element's update does not depend on its place", "", float, double) {
  const std::size_t n = 67;
  const auto g = numbers<TestType>(n, "g");
  const auto start = numbers<TestType>(n, "w");
  const AdamStep step{.rate = 0.1, .weight_decay = 0.1, .correction1 = 0.1, .correction2 = 0.001};
  auto w = start;
  std::vector<TestType> m(n), v(n);
  adamw(n, w.data(), g.data(), m.data(), v.data(), step);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<TestType> alone{start[i]}, m1{0}, v1{0};
    adamw(1, alone.data(), g.data() + i, m1.data(), v1.data(), step);
    CHECK(alone[0] == w[i]);
    CHECK(m1[0] == m[i]);
    CHECK(v1[0] == v[i]);
  }
}

TEMPLATE_TEST_CASE("a NaN gradient is seen in the weight, and only there", "", float, double) {
  std::vector<TestType> w(19, 1), g(19, 1), m(19), v(19);
  g[18] = not_a_number<TestType>;
  adam_rule(0.1, 1e-8, 0)(19, w.data(), g.data(), m.data(), v.data(), 1);
  for (std::size_t i = 0; i < 19; ++i) CHECK(std::isnan(w[i]) == (i == 18));
}
