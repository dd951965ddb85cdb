// Mistakes that show when the map is run again: a backward that is right for other values than those it should be taken
// at, values that only have the precision of float, and points where there is no derivative.
#include <algorithm>
#include <utility>

#include "autodiff/causes/candidates.hpp"

namespace hindsight::causes {

Found at_another_value(const Evidence& e) {
  if (!e.map.evaluate || e.size() != e.by().field.values.size()) return {};
  for (std::size_t q = 0; q < e.map.operands.size(); ++q)
    for (const Candidate& candidate : candidates(e.map, e.map.operands[q].field)) {
      const bool own = q == e.operand;
      const std::vector<double>& at = own ? candidate.values : e.by().field.values;
      const Substitution other{q, candidate.values};
      if (agrees(e.map, e.operand, at, 0x1p-9, 1e-7, std::span(&other, own ? 0 : 1)))
        return Cause{candidate.mistake, candidate.text, e.name};
    }
  return {};
}

Found float_precision(const Evidence& e) {
  const auto is_float = [](double v) { return static_cast<double>(static_cast<float>(v)) == v; };
  const auto all_float = [&](const std::vector<double>& v) { return std::all_of(v.begin(), v.end(), is_float); };
  const std::vector<double>& result = e.map.result.values;
  if (!e.map.evaluate || result.empty() || !all_float(result) || all_float(e.by().field.values)) return {};
  if (!agrees(e.map, e.operand, e.by().field.values, 0x1p-5, 1e-3)) return {};
  return Cause{
      Mistake::float_precision,
      "right as far as float tells: the result has float's seven digits, so that a small step drowns in its rounding; "
      "compute in double",
      e.name};
}

// Off by less than float resolves, and in no pattern.
Found float_backward(const Evidence& e) {
  const Fit fits(e);
  for (std::size_t j = 0; j < e.size(); ++j)
    if (!(std::abs(e.analytic[j] - e.numeric[j]) <= 4e-6 * fits.largest())) return {};
  return Cause{Mistake::float_precision,
               "right as far as float tells: the backward computes in float; compute in double", e.name};
}

Found kink(const Evidence& e) {
  if (!e.map.evaluate) return {};
  const Fit fits(e);
  std::vector<double> values = e.by().field.values;
  const auto seeded = [&](std::size_t i, double x) {
    const double before = std::exchange(values[i], x);
    const Substitution at{e.operand, values};
    const std::vector<double> result = e.map.evaluate({&at, 1});
    values[i] = before;
    double sum = 0;
    for (std::size_t k = 0; k < result.size(); ++k) sum += e.map.seed[k] * result[k];
    return sum;
  };
  std::string text;
  for (std::size_t j = 0; j < e.size(); ++j) {
    if (std::abs(e.analytic[j] - e.numeric[j]) <= 1e-6 * fits.largest()) continue;
    const double x = values[e.index[j]], h = 0x1p-20 * std::max(1.0, std::abs(x)), here = seeded(e.index[j], x);
    const double right = (seeded(e.index[j], x + h) - here) / h, left = (here - seeded(e.index[j], x - h)) / h;
    if (!(std::abs(right - left) > 1e-3 * std::max(std::abs(right), std::abs(left)))) return {};
    if (text.empty()) {
      char slopes[80];
      std::snprintf(slopes, sizeof slopes, "the slope is %.4g to the left and %.4g to the right", left, right);
      text = std::string("not differentiable at this point: ") + slopes;
    }
  }
  return text.empty() ? Found{} : Found(Cause{Mistake::kink, text, e.name});
}

}  // namespace hindsight::causes
