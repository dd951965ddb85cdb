// Mistakes that show when the map is run again: a backward that is right for other values than those it should be taken at,
// values that only have the precision of float, and points where there is no derivative.
#include <algorithm>
#include <utility>

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {
namespace {

/// What a backward may have taken for an operand, and how that is said.
struct Candidate {
  std::string text;
  Mistake mistake;
  std::vector<double> values;
};

/// The places along a tensor's first axis, where its other axes are these: "x[Time 2]".
std::vector<Field> parts_of(const Field& field, const std::vector<NamedAxis>& axes) {
  std::vector<Field> all;
  if (field.axes.size() != axes.size() + 1 || !std::equal(axes.begin(), axes.end(), field.axes.begin() + 1)) return all;
  const auto each = static_cast<std::ptrdiff_t>(count(axes));
  for (std::size_t i = 0; i < field.axes[0].extent; ++i) {
    const auto begin = field.values.begin() + static_cast<std::ptrdiff_t>(i) * each;
    all.push_back({field.name + "[" + field.axes[0].name + " " + std::to_string(i) + "]", axes, {begin, begin + each},
                   "a part of " + field.name});
  }
  return all;
}

std::vector<Candidate> candidates(const CheckedMap& map, const Field& field) {
  std::vector<Candidate> all;
  const auto add = [&](const Field& other) {
    if (other.axes != field.axes || other.values == field.values) return;
    const bool step = !other.made_by.empty() && other.made_by == field.made_by;
    all.push_back({(step ? "one step off: taken at " : "taken at ") + other.name + " where " + field.name + " belongs",
                   step ? Mistake::step_off : Mistake::other_value, other.values});
  };
  const auto add_with_gates = [&](const Field& other) {
    add(other);
    for (const Field& gate : gates_of(other)) add(gate);
    for (const Field& part : parts_of(other, field.axes)) add(part);
  };
  for (const MapOperand& operand : map.operands) add_with_gates(operand.field);
  add_with_gates(map.result);
  for (const Field& other : map.elsewhere) add_with_gates(other);

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
      const Substitution other{q, candidate.values};
      if (agrees(e.map, e.operand, at, 0x1p-9, 1e-7, std::span(&other, own ? 0 : 1))) return Cause{candidate.mistake, candidate.text, e.name};
    }
  return {};
}

// The same where the rest of the backward, the activations say, was kept from the right values: then it is one factor of
// the product d result_k / d operand_j that is taken for another.
Found another_factor(const Evidence& e) {
  if (!e.has_jacobian()) return {};
  const Fit fits(e);
  const auto place = [](const std::vector<NamedAxis>& axes, const std::string& name) {
    return static_cast<std::size_t>(
        std::find_if(axes.begin(), axes.end(), [&](const NamedAxis& a) { return a.name == name; }) - axes.begin());
  };
  const auto index_along = [](const std::vector<NamedAxis>& axes, std::size_t d, std::size_t i) {
    for (std::size_t inner = axes.size(); inner-- > d + 1;) i /= axes[inner].extent;
    return i % axes[d].extent;
  };
  const std::vector<NamedAxis>& result = e.map.result.axes;
  for (std::size_t q = 0; q < e.map.operands.size(); ++q) {
    const Field& field = e.map.operands[q].field;
    // Each axis of the factor is one of the operand's, where From<A> is A as well, or else one of the result's.
    std::vector<std::pair<bool, std::size_t>> where;
    for (const NamedAxis& axis : field.axes) {
      std::size_t d = place(e.axes, "From<" + axis.name + ">");
      if (d == e.axes.size()) d = place(e.axes, axis.name);
      const bool of_operand = d < e.axes.size();
      if (!of_operand) d = place(result, axis.name);
      if (d == result.size() && !of_operand) break;
      where.push_back({of_operand, d});
    }
    if (q == e.operand || where.size() != field.axes.size()) continue;
    const auto at = [&](std::size_t k, std::size_t j) {
      std::size_t i = 0;
      for (std::size_t d = 0; d < where.size(); ++d)
        i = i * field.axes[d].extent + (where[d].first ? index_along(e.axes, where[d].second, j)
                                                       : index_along(result, where[d].second, k));
      return i;
    };
    for (const Candidate& candidate : candidates(e.map, field)) {
      std::vector<double> expected(e.size(), 0.0);
      for (std::size_t k = 0; k < e.map.seed.size(); ++k)
        for (std::size_t j = 0; j < e.size(); ++j)
          if (const double slope = e.jacobian(k, j); slope != 0)
            expected[j] += e.map.seed[k] * slope * candidate.values[at(k, j)] / field.values[at(k, j)];
      if (fits(expected)) return Cause{candidate.mistake, candidate.text, e.name};
    }
  }
  return {};
}

Found float_precision(const Evidence& e) {
  const auto is_float = [](double v) { return static_cast<double>(static_cast<float>(v)) == v; };
  const auto all_float = [&](const std::vector<double>& v) { return std::all_of(v.begin(), v.end(), is_float); };
  const std::vector<double>& result = e.map.result.values;
  if (!e.map.evaluate || result.empty() || !all_float(result) || all_float(e.by().field.values)) return {};
  if (!agrees(e.map, e.operand, e.by().field.values, 0x1p-5, 1e-3)) return {};
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
