// The slope of a function of one number, estimated from the function's values alone.
//
//     d(h) = (f(x + h) - f(x - h)) / 2h = f'(x) + c_2 h^2 + c_4 h^4 + ...
//
// Only even powers of h occur where f is smooth, so that estimates at h, h/2, h/4, .. extrapolate to
// h = 0 (L. F. Richardson, 1911). Each extrapolation says how far it is off, and the best one is
// taken (C. Ridders, "Accurate computation of F'(x) and F'(x) F''(x)", 1982).
//
// f has many outputs y_k and is weighted: f = sum_k w_k y_k. The differences are taken output by
// output, so that what does not change cancels exactly.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace hindsight {

/// The slope at x, from f's outputs at x and on either side of it at steps h, h/2, h/4, ..
class SlopeEstimate {
 public:
  /// After so many steps (the last is 2^-30 for a small x) the slope is as good as it gets.
  static constexpr std::size_t all_steps = 22;

  /// The first step for a value x: about |x| / 512, and 1/512 for a small one. A power of 2, so that
  /// x + h has no rounding of its own.
  static double first_step(double x);

  /// At x the outputs are `outputs`.
  SlopeEstimate(double x, std::span<const double> weights, std::span<const double> outputs);

  /// At `right` > x the outputs are y_right, at `left` < x they are y_left. Each call halves the step.
  void add(double right, std::span<const double> y_right, double left, std::span<const double> y_left);

  /// The best estimate of the slope; NaN where f is.
  double value() const { return best_; }

  /// What the rounding of the outputs may make of it.
  double rounding() const { return best_rounding_; }

  /// How far the extrapolations say they may be off, the rounding included.
  double uncertainty() const { return best_error_; }

  /// The slopes to the left and to the right have not come closer with the last step, as they do
  /// where f is smooth: look at smaller steps.
  bool may_be_kink() const;

  /// After nine steps or more: the slopes to the left and to the right differ. x is at a kink, or closer to
  /// one than can be resolved.
  bool is_kink() const;

  /// How far `slope` is outside of what lies between the one-sided slopes; 0 inside.
  double outside_of_kink(double slope) const;

 private:
  struct OneSided {
    double left, right, rounding;
    double gap() const;
  };

  double x_;
  std::span<const double> weights_, outputs_;
  double magnitude_ = 0;            // of the outputs, as the rounding of f sees it
  std::vector<double> row_;         // extrapolations that end at the last step
  std::vector<OneSided> one_sided_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  double best_rounding_ = 0;
  double best_error_ = std::numeric_limits<double>::infinity();
};

/// The slope at x of the outputs that `at(step)` gives for x + step. As many steps are taken as it needs to agree with
/// `expected` to a thousandth of `tolerance`, relative to the largest of it and `scale`, or to be sure by itself.
SlopeEstimate slope_at(double x, std::span<const double> weights, std::span<const double> outputs,
                       const std::function<std::vector<double>(double)>& at, double expected, double scale, double tolerance);

}  // namespace hindsight
