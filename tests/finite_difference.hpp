// Gradients against central differences, for the tests of single operations.
//
// A test gives a function from variables to a variable. Its gradient is checked in double under a
// random weighting w of the result, L = sum_j w_j y_j, because a plain sum hides errors that cancel.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <string_view>
#include <tuple>
#include <vector>

#include "autodiff/backward.hpp"
#include "tests/kernel_data.hpp"

namespace hindsight {

/// 1, and around the vector width.
inline std::vector<std::size_t> around_the_width(std::size_t smallest = 1) {
  const std::size_t width = lanes<double>();
  std::vector<std::size_t> sizes{1, width - 1, width, width + 1, 2 * width + 1};
  std::erase_if(sizes, [smallest](std::size_t n) { return n < smallest; });
  return sizes;
}

/// An operand: its values, and how long its axes are.
template <IsAxis... As>
struct Operand {
  std::vector<double> values;
  Extents<sizeof...(As)> extents;

  Var<double, As...> variable() const {
    Var<double, As...> x = detail::copied_in<double, As...>(values, extents);
    detail::give_gradient(x);
    return x;
  }
};

/// An operand of random values in [-2, 2): `operand<Batch, In>("x", extent<Batch>(3))`.
template <IsAxis... As, class... Given>
Operand<As...> operand(std::string_view name, Extent<Given>... given) {
  const auto extents = detail::extents_of(Axes<As...>{}, given...);
  return {numbers<double>(detail::count(extents), name), extents};
}

/// The same in [1, 3): for log, division and their like.
template <IsAxis... As, class... Given>
Operand<As...> positive_operand(std::string_view name, Extent<Given>... given) {
  Operand<As...> x = operand<As...>(name, given...);
  for (double& value : x.values) value = 2 + value / 2;
  return x;
}

/// The weights w as a variable like y.
template <class T, IsAxis... As>
Var<T, As...> weights_like(const Var<T, As...>& y) {
  return detail::copied_in<T, As...>(numbers<T>(y.size(), "weights"), y.extents);
}

/// Checks d L / d x for every element of every operand: the error, relative to the operand's largest
/// gradient, is at most 1e-7. An operand whose gradient is 0 everywhere fails: nothing was checked.
template <class F, class... Operands>
void check_gradient(const F& f, Operands... operands) {
  std::vector<std::vector<double>> analytic;
  {
    Tape tape;
    const std::tuple variables{operands.variable()...};
    const Var y = std::apply(f, variables);
    backward(y, weights_like(y));
    std::apply([&](const auto&... x) { (analytic.push_back(x.gradients()), ...); }, variables);
  }
  const auto values = [&] {
    Tape tape;
    const Var y = f(operands.variable()...);
    return y.values();
  };
  std::size_t which = 0;
  const auto check = [&](auto& operand) {
    const std::vector<double>& gradient = analytic[which++];
    std::vector<double> numeric;
    for (double& x : operand.values) {
      const double x0 = x, h = 1e-5;
      x = x0 + h;
      const auto above = values();
      x = x0 - h;
      const auto below = values();
      x = x0;
      const auto weights = numbers<double>(above.size(), "weights");
      double slope = 0;
      for (std::size_t j = 0; j < weights.size(); ++j) slope += weights[j] * (above[j] - below[j]);
      numeric.push_back(slope / (2 * h));
    }
    double largest = 0;
    for (const double slope : numeric) largest = std::max(largest, std::abs(slope));
    INFO("operand " << which << " of size " << numeric.size());
    if (!numeric.empty()) REQUIRE(largest > 0);
    for (std::size_t i = 0; i < numeric.size(); ++i) {
      INFO("element " << i << ": analytic " << gradient[i] << ", numeric " << numeric[i]);
      REQUIRE(std::abs(gradient[i] - numeric[i]) <= 1e-7 * largest);
    }
  };
  (check(operands), ...);
}

}  // namespace hindsight
