#include "autodiff/checked_map.hpp"

#include <algorithm>
#include <cmath>

#include "autodiff/slope.hpp"

namespace hindsight {

std::vector<double> random_seed(std::size_t size, const Random& random) {
  std::vector<double> seed(size);
  fill_uniform(size, -1.0, 1.0, random, seed.data());
  for (double& s : seed) s += s < 0 ? -0.5 : 0.5;
  return seed;
}

double slope_along(const CheckedMap& map, std::size_t operand, const std::vector<double>& at,
                   const std::vector<double>& direction, double step, std::span<const Substitution> others) {
  const auto seeded = [&](double h) {
    std::vector<double> moved = at;
    for (std::size_t j = 0; j < moved.size(); ++j) moved[j] += h * direction[j];
    std::vector<Substitution> all(others.begin(), others.end());
    all.push_back({operand, moved});
    const std::vector<double> result = map.evaluate(all);
    double sum = 0;
    for (std::size_t k = 0; k < result.size(); ++k) sum += map.seed[k] * result[k];
    return sum;
  };
  const auto central = [&](double h) { return (seeded(h) - seeded(-h)) / (2 * h); };
  const double a = central(step), b = central(step / 2);
  return b + (b - a) / 3;
}

bool agrees(const CheckedMap& map, std::size_t operand, const std::vector<double>& at, double step, double tolerance,
            std::span<const Substitution> others) {
  const std::vector<double>& analytic = map.operands[operand].analytic;
  for (std::uint64_t n = 0; n < 3; ++n) {
    std::vector<double> direction(analytic.size());
    fill_uniform(direction.size(), -1.0, 1.0, Random{n}.child("direction"), direction.data());
    double expected = 0, size = 0;
    for (std::size_t j = 0; j < direction.size(); ++j) {
      expected += analytic[j] * direction[j];
      size += std::abs(analytic[j] * direction[j]);
    }
    const double slope = slope_along(map, operand, at, direction, step, others);
    if (!(std::abs(slope - expected) <= tolerance * size)) return false;
  }
  return true;
}

// The central differences at h, h/2 and h/4 are extrapolated to h = 0 (see slope.hpp): what is left is of order h^6.
void differentiate(CheckedMap& map, std::size_t operand) {
  MapOperand& by = map.operands[operand];
  const std::size_t results = map.seed.size(), size = by.field.values.size();
  std::vector<double> values = by.field.values;
  by.jacobian.assign(results * size, 0.0);
  by.numeric.assign(size, 0.0);
  // What is thought to be 0 is moved all at once: most often an operand is a part of a tensor, and that is right.
  std::vector<double> moved = values;
  for (std::size_t j = 0; j < size; ++j)
    if (by.analytic[j] == 0) moved[j] += 0x1p-9 * static_cast<double>(1 + j % 7);
  const Substitution all_zeros{operand, moved};
  const bool zeros_are_right = map.evaluate({&all_zeros, 1}) == map.result.values;
  for (std::size_t j = 0; j < size; ++j) {
    if (zeros_are_right && by.analytic[j] == 0) continue;
    const double x = by.field.values[j], step = SlopeEstimate::first_step(x);
    const auto central = [&](double h) {
      const Substitution at{operand, values};
      values[j] = x + h;
      std::vector<double> slopes = map.evaluate({&at, 1});
      values[j] = x - h;
      const std::vector<double> left = map.evaluate({&at, 1});
      values[j] = x;
      for (std::size_t k = 0; k < results; ++k) slopes[k] = (slopes[k] - left[k]) / (2 * h);
      return slopes;
    };
    const std::vector<double> a = central(step), b = central(step / 2), c = central(step / 4);
    for (std::size_t k = 0; k < results; ++k) {
      const double ab = b[k] + (b[k] - a[k]) / 3, bc = c[k] + (c[k] - b[k]) / 3;
      const double slope = bc + (bc - ab) / 15;
      by.jacobian[k * size + j] = slope;
      by.numeric[j] += map.seed[k] * slope;
    }
  }
}

bool is_wrong(const MapOperand& operand, double tolerance) {
  double largest = 0;
  for (std::size_t j = 0; j < operand.numeric.size(); ++j)
    largest = std::max({largest, std::abs(operand.numeric[j]), std::abs(operand.analytic[j])});
  for (std::size_t j = 0; j < operand.numeric.size(); ++j)
    if (!(std::abs(operand.analytic[j] - operand.numeric[j]) <= tolerance * largest)) return true;
  return operand.overwrites;
}

}  // namespace hindsight
