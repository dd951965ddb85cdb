#include "autodiff/slope.hpp"

#include <algorithm>
#include <cmath>

namespace hindsight {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

// How many units in the last place an output may be off: the functions' own error, and what adds up
// on the way through a network.
constexpr double output_error = 8 * eps;

// One-sided slopes are compared at these two steps. Where f is smooth their gap shrinks as the step,
// 16-fold; at a kink it stays.
constexpr std::size_t coarse = 4, fine = 8;

double weighted_difference(std::span<const double> weights, std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * (a[k] - b[k]);
  return sum;
}

}  // namespace

double SlopeEstimate::first_step(double x) {
  return std::exp2(std::ceil(std::log2(std::max(std::abs(x), 1.0))) - 9);
}

SlopeEstimate::SlopeEstimate(double x, std::span<const double> weights, std::span<const double> outputs)
    : x_(x), weights_(weights), outputs_(outputs) {
  // The outputs' roundings are independent of each other: their squares add.
  for (std::size_t k = 0; k < weights.size(); ++k) magnitude_ = std::hypot(magnitude_, weights[k] * outputs[k]);
}

double SlopeEstimate::OneSided::gap() const { return std::abs(right - left); }

void SlopeEstimate::add(double right, std::span<const double> y_right, double left, std::span<const double> y_left) {
  const double rounding = output_error * magnitude_ / (right - x_);
  one_sided_.push_back({weighted_difference(weights_, outputs_, y_left) / (x_ - left),
                        weighted_difference(weights_, y_right, outputs_) / (right - x_), rounding});

  std::vector<double> row{weighted_difference(weights_, y_right, y_left) / (right - left)};
  double power = 1;
  for (const double before : row_) {
    power *= 4;  // the next even power of h goes: (4^j d(h/2) - d(h)) / (4^j - 1)
    const double last = row.back();
    const double next = last + (last - before) / (power - 1);
    row.push_back(next);
    const double error = std::max(std::abs(next - last), std::abs(next - before)) + rounding;
    if (error < best_error_) {
      best_ = next;
      best_rounding_ = rounding;
      best_error_ = error;
    }
  }
  row_ = std::move(row);
}

bool SlopeEstimate::may_be_kink() const {
  if (one_sided_.size() < 2) return false;
  const OneSided& last = one_sided_.back();
  return last.gap() > 0.75 * one_sided_[one_sided_.size() - 2].gap() && last.gap() > 10 * last.rounding;
}

bool SlopeEstimate::is_kink() const {
  if (one_sided_.size() <= fine) return false;
  const OneSided& last = one_sided_[fine];
  const double slope = std::max(std::abs(last.left), std::abs(last.right));
  return last.gap() > 0.5 * one_sided_[coarse].gap() && last.gap() > 10 * last.rounding && last.gap() > 1e-6 * slope;
}

double SlopeEstimate::outside_of_kink(double slope) const {
  const OneSided &before = one_sided_[fine - 1], &last = one_sided_[fine];
  // The one-sided slopes are themselves off by what the last halving changed.
  const double slack =
      std::abs(last.left - before.left) + std::abs(last.right - before.right) + last.rounding;
  const double low = std::min(last.left, last.right) - slack, high = std::max(last.left, last.right) + slack;
  if (low <= slope && slope <= high) return 0;
  return slope < low ? low - slope : slope - high;  // NaN stays NaN
}

SlopeEstimate slope_at(double x, std::span<const double> weights, std::span<const double> outputs,
                       const std::function<std::vector<double>(double)>& at, double expected, double scale, double tolerance) {
  SlopeEstimate slope(x, weights, outputs);
  double step = SlopeEstimate::first_step(x);
  for (std::size_t steps = 1; steps <= SlopeEstimate::all_steps; ++steps, step /= 2) {
    const std::vector<double> right = at(step), left = at(-step);
    slope.add(x + step, right, x - step, left);
    const double enough = tolerance / 1000 * std::max(scale, std::abs(slope.value()));
    const bool agrees = std::abs(expected - slope.value()) <= enough + slope.rounding();
    if (steps >= 2 && (agrees || slope.uncertainty() <= enough) && !slope.may_be_kink()) break;
  }
  return slope;
}

}  // namespace hindsight
