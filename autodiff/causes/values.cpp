// Mistakes that show when the map is run again: a backward that is right for other values than those it should be taken at,
// values that only have the precision of float, and points where there is no derivative.
#include <algorithm>

#include "autodiff/causes/evidence.hpp"
#include "autodiff/random.hpp"

namespace hindsight::causes {
namespace {

/// The slope of the seeded result along `direction` from an operand's values `at`, with another operand replaced.
double slope_along(const CheckedMap& map, std::size_t operand, const std::vector<double>& at,
                   const std::vector<double>& direction, double step, const std::optional<Substitution>& other) {
  const auto seeded = [&](double h) {
    std::vector<double> moved = at;
    for (std::size_t j = 0; j < moved.size(); ++j) moved[j] += h * direction[j];
    std::vector<Substitution> all{{operand, moved}};
    if (other) all.push_back(*other);
    const std::vector<double> result = map.evaluate(all);
    double sum = 0;
    for (std::size_t k = 0; k < result.size(); ++k) sum += map.seed[k] * result[k];
    return sum;
  };
  const auto central = [&](double h) { return (seeded(h) - seeded(-h)) / (2 * h); };
  const double a = central(step), b = central(step / 2);
  return b + (b - a) / 3;
}

/// Do the analytic gradients agree with the slopes along three random directions?
bool agrees(const Evidence& e, const std::vector<double>& at, double step, double tolerance,
            const std::optional<Substitution>& other) {
  const std::vector<double>& analytic = e.by().analytic;
  for (std::uint64_t n = 0; n < 3; ++n) {
    std::vector<double> direction(analytic.size());
    fill_uniform(direction.size(), -1.0, 1.0, Random{n}.child("direction"), direction.data());
    double expected = 0, size = 0;
    for (std::size_t j = 0; j < direction.size(); ++j) {
      expected += analytic[j] * direction[j];
      size += std::abs(analytic[j] * direction[j]);
    }
    const double slope = slope_along(e.map, e.operand, at, direction, step, other);
    if (!(size > 0 && std::abs(slope - expected) <= tolerance * size)) return false;
  }
  return true;
}

/// What a backward may have taken for an operand, and how that is said.
struct Candidate {
  std::string text;
  Mistake mistake;
  std::vector<double> values;
};

std::vector<Candidate> candidates(const CheckedMap& map, const Field& field) {
  std::vector<Candidate> all;
  const auto add = [&](const Field& other) {
    if (other.axes != field.axes || other.values == field.values) return;
    const bool step = !other.made_by.empty() && other.made_by == field.made_by;
    all.push_back({(step ? "one step off: taken at " : "taken at ") + other.name + " where " + field.name + " belongs",
                   step ? Mistake::step_off : Mistake::other_value, other.values});
  };
  for (const MapOperand& operand : map.operands) add(operand.field);
  add(map.result);
  for (const Field& other : map.elsewhere) add(other);

  std::size_t stride = 1;
  for (std::size_t d = field.axes.size(); d-- > 0; stride *= field.axes[d].extent)
    for (const bool later : {true, false}) {  // each place along an axis taken for its neighbour
      const std::size_t extent = field.axes[d].extent;
      std::vector<double> shifted = field.values;
      for (std::size_t j = 0; j < shifted.size(); ++j) {
        const std::size_t i = j / stride % extent;
        if (later ? i + 1 < extent : i > 0) shifted[j] = field.values[later ? j + stride : j - stride];
      }
      if (extent > 1)
        all.push_back({field.name + " is taken one step off along " + field.axes[d].name, Mistake::step_off, shifted});
    }
  if (field.axes.size() == 2 && field.axes[0].extent == field.axes[1].gate_extent()) {
    const std::size_t columns = field.axes[1].extent, each = field.axes[0].extent;
    std::vector<double> turned(field.values.size());
    for (std::size_t i = 0; i < turned.size(); ++i)
      turned[i] = field.values[i % each * columns + i % columns / each * each + i / columns];
    all.push_back({field.name + " is used transposed", Mistake::transposed, turned});
  }
  return all;
}

}  // namespace

Found at_another_value(const Evidence& e) {
  if (!e.map.evaluate || e.size() != e.by().field.values.size()) return {};
  for (std::size_t q = 0; q < e.map.operands.size(); ++q)
    for (const Candidate& candidate : candidates(e.map, e.map.operands[q].field)) {
      const bool own = q == e.operand;
      const std::vector<double>& at = own ? candidate.values : e.by().field.values;
      const auto other = own ? std::nullopt : std::optional(Substitution{q, candidate.values});
      if (agrees(e, at, 0x1p-9, 1e-7, other)) return Cause{candidate.mistake, candidate.text, e.name};
    }
  return {};
}

Found float_precision(const Evidence& e) {
  const auto is_float = [](double v) { return static_cast<double>(static_cast<float>(v)) == v; };
  const auto all_float = [&](const std::vector<double>& v) { return std::all_of(v.begin(), v.end(), is_float); };
  const std::vector<double>& result = e.map.result.values;
  if (!e.map.evaluate || result.empty() || !all_float(result) || all_float(e.by().field.values)) return {};
  if (!agrees(e, e.by().field.values, 0x1p-5, 1e-3, {})) return {};
  return Cause{Mistake::float_precision,
               "right as far as float tells: the result has float's seven digits, so that a small step drowns in its rounding; "
               "compute in double",
               e.name};
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
