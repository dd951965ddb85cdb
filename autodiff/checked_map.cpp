#include "autodiff/checked_map.hpp"

#include <algorithm>
#include <cmath>

#include "autodiff/slope.hpp"

namespace hindsight {

// The central differences at h, h/2 and h/4 are extrapolated to h = 0 (see slope.hpp): what is left is of order h^6.
void differentiate(CheckedMap& map, std::size_t operand) {
  MapOperand& by = map.operands[operand];
  const std::size_t results = map.seed.size(), size = by.field.values.size();
  std::vector<double> values = by.field.values;
  by.jacobian.assign(results * size, 0.0);
  by.numeric.assign(size, 0.0);
  for (std::size_t j = 0; j < size; ++j) {
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
