// A term of a sum that is missing: the contribution of a part of the result, all but the last contribution, the terms
// across an axis, or one that is a multiple of something at hand.
#include <algorithm>
#include <numeric>

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {
namespace {

/// A part of the result: a place along an axis, or a gate.
struct Part {
  std::string name, axis;
  bool along_operand;  // the operand has the axis too
  std::vector<bool> in;
};

std::vector<Part> parts_of_result(const Evidence& e) {
  const std::vector<NamedAxis>& axes = e.map.result.axes;
  std::vector<Part> all;
  std::size_t stride = 1;
  for (std::size_t d = axes.size(); d-- > 0; stride *= axes[d].extent) {
    const NamedAxis& axis = axes[d];
    const std::vector<NamedAxis>& own = e.by().field.axes;
    const bool along = std::find(own.begin(), own.end(), axis) != own.end();
    const auto add = [&](std::string name, std::size_t begin, std::size_t length) {
      Part part{std::move(name), axis.name, along, {}};
      for (std::size_t k = 0; k < e.map.seed.size(); ++k) {
        const std::size_t i = k / stride % axis.extent;
        part.in.push_back(begin <= i && i < begin + length);
      }
      all.push_back(std::move(part));
    };
    for (std::size_t g = 0; g < axis.gates.size(); ++g) add(axis.gates[g], g * axis.gate_extent(), axis.gate_extent());
    if (axis.gates.empty() && axis.extent > 1 && !(along && e.map.seed.size() == e.by().field.values.size()))
      for (std::size_t i = 0; i < axis.extent; ++i) add(axis.position(i), i, 1);
  }
  return all;
}

std::vector<double> seed_of(const Evidence& e, const std::vector<bool>& in, bool kept) {
  std::vector<double> seed = e.map.seed;
  for (std::size_t k = 0; k < seed.size(); ++k)
    if (in[k] != kept) seed[k] = 0;
  return seed;
}

/// Axes of the result that the operand lacks; gates are no such axis.
std::size_t spread_axes(const Evidence& e) {
  return static_cast<std::size_t>(
      std::count_if(e.map.result.axes.begin(), e.map.result.axes.end(), [&](const NamedAxis& a) {
        return a.gates.empty() && std::find(e.axes.begin(), e.axes.end(), a) == e.axes.end();
      }));
}

}  // namespace

Found part_of_the_result(const Evidence& e) {
  const Fit fits(e);
  if (!e.has_jacobian() || fits.wrong() < 2) return {};
  const std::vector<Part> parts = parts_of_result(e);
  for (const Part& part : parts) {
    if (!fits(e.numeric_for(seed_of(e, part.in, true)))) continue;
    if (!part.along_operand && part.name.back() == ']')
      return Cause{Mistake::not_reduced, "not reduced over " + part.axis + ": only " + part.name + " arrives", e.name};
    return Cause{Mistake::missing_term, "a term of a sum is missing: only what comes from " + part.name + " arrives",
                 e.name};
  }
  for (const Part& part : parts)
    if (fits(e.numeric_for(seed_of(e, part.in, false))))
      return Cause{Mistake::missing_term, "a term of a sum is missing: nothing arrives from " + part.name, e.name};
  return {};
}

// Of several contributions to an element the last one alone has arrived.
Found last_contribution(const Evidence& e) {
  if (!e.has_jacobian()) return {};
  std::vector<double> expected(e.size(), 0.0);
  bool several = false;
  for (std::size_t j = 0; j < e.size(); ++j)
    for (std::size_t k = 0; k < e.map.seed.size(); ++k) {
      const double one = e.map.seed[k] * e.jacobian(k, j);
      if (std::abs(one) <= 1e-9) continue;
      several = several || expected[j] != 0;
      expected[j] = one;
    }
  if (!several || spread_axes(e) == 0 || !Fit(e)(expected)) return {};
  return Cause{Mistake::overwritten,
               "overwritten instead of added to: of several contributions the last one alone arrives", e.name};
}

// The result has the operand's elements, and each has been differentiated by its own alone, or by all the others.
Found elementwise_part(const Evidence& e) {
  if (!e.has_jacobian() || e.map.seed.size() != e.by().field.values.size() || e.size() < 2) return {};
  std::vector<double> own(e.size()), others = e.numeric;
  for (std::size_t j = 0; j < e.size(); ++j) {
    own[j] = e.map.seed[e.index[j]] * e.jacobian(e.index[j], j);
    others[j] -= own[j];
  }
  const Fit fits(e);
  if (fits(own))
    return Cause{Mistake::missing_term,
                 "a term of a sum is missing: each element sees its own result alone, not its neighbours'", e.name};
  if (fits(others))
    return Cause{Mistake::missing_term,
                 "a term of a sum is missing: no element sees its own result, only its neighbours'", e.name};
  return {};
}

namespace {

/// Something that a missing term may be a multiple of.
struct Direction {
  std::string text;
  std::vector<double> at;
};

/// A tensor less its mean along the last axis.
std::vector<double> centred(const Field& field) {
  std::vector<double> values = field.values;
  const std::size_t each = field.axes.empty() ? 1 : field.axes.back().extent;
  for (std::size_t row = 0; row < values.size(); row += each) {
    double mean = 0;
    for (std::size_t j = 0; j < each; ++j) mean += values[row + j] / static_cast<double>(each);
    for (std::size_t j = 0; j < each; ++j) values[row + j] -= mean;
  }
  return values;
}

std::vector<Direction> directions(const Evidence& e) {
  std::vector<Direction> all{{"1", std::vector<double>(e.size(), 1.0)}};
  const std::vector<Field> fields = fields_on(e.axes, e.map);
  for (const Field& field : fields) all.push_back({field.name, field.values});
  for (const Field& field : fields) all.push_back({field.name + " less its mean", centred(field)});
  for (const Field& field : fields) {
    Direction rest{"1 - " + field.name, field.values};
    for (double& x : rest.at) x = 1 - x;
    all.push_back(std::move(rest));
  }
  for (const Field& a : fields) {
    Direction activated{a.name + " - sigmoid(" + a.name + ")", a.values};
    for (double& x : activated.at) x -= causes::sigmoid(x);
    all.push_back(std::move(activated));
    for (const Field& b : fields) {
      if (&a == &b || fields.size() > 12) continue;
      Direction difference{a.name + " - " + b.name, a.values};
      for (std::size_t j = 0; j < b.values.size(); ++j) difference.at[j] -= b.values[j];
      all.push_back(std::move(difference));
    }
  }
  const auto times = [&](const std::string& name, const std::vector<double>& gradient) {
    all.push_back({name, gradient});
    for (const Field& field : fields) {
      Direction product{name + " times " + field.name, gradient}, sigmoid = product, rest = product;
      sigmoid.text = name + " times sigmoid(" + field.name + ")";
      rest.text = name + " times 1 - sigmoid(" + field.name + ")";
      for (std::size_t j = 0; j < e.size(); ++j) {
        const double y = causes::sigmoid(field.values[j]);
        product.at[j] *= field.values[j];
        sigmoid.at[j] *= y;
        rest.at[j] *= 1 - y;
      }
      all.insert(all.end(), {product, sigmoid, rest});
    }
  };
  const auto add_gradient = [&](const std::string& name, const std::vector<NamedAxis>& axes,
                                const std::vector<double>& gradient) {
    const Field whole{"the gradient of " + name, axes, gradient};
    if (auto values = spread(whole, e.axes); values && axes.size() == e.axes.size()) times(whole.name, *values);
    for (const Field& gate : gates_of({"the gradient of " + name, axes, gradient}))
      if (auto values = spread(gate, e.axes); values && gate.axes.size() == e.axes.size()) times(gate.name, *values);
  };
  if (!e.map.seed.empty()) add_gradient("the result", e.map.result.axes, e.map.seed);
  for (std::size_t o = 0; o < e.map.operands.size(); ++o)
    if (o != e.operand && !e.map.operands[o].numeric.empty())
      add_gradient(e.map.operands[o].field.name, e.map.operands[o].field.axes, e.map.operands[o].numeric);
  return all;
}

/// The slices of an operand along an axis; all elements are one slice if it is axes.size().
struct Slices {
  std::size_t stride = 1, extent, count;

  Slices(const Evidence& e, std::size_t axis) : extent(e.size()) {
    if (axis < e.axes.size()) {
      extent = e.axes[axis].extent;
      for (std::size_t d = axis + 1; d < e.axes.size(); ++d) stride *= e.axes[d].extent;
    }
    count = e.size() / std::max<std::size_t>(extent, 1);
  }
  std::size_t of(std::size_t j) const { return j / (stride * extent) * stride + j % stride; }
};

/// What `off` is of `direction` in each slice, if it is a multiple of it there, and that says something: there are two
/// elements or more beside the multiples.
std::optional<std::vector<double>> multiples(const Evidence& e, const Slices& slices, const std::vector<double>& off,
                                             const std::vector<double>& direction) {
  if (slices.extent < 2 || e.size() < slices.count + 2) return {};
  double largest = 0;
  for (const double x : off) largest = std::max(largest, std::abs(x));
  std::vector<double> multiple(slices.count, 0.0), square(slices.count, 0.0);
  for (std::size_t j = 0; j < e.size(); ++j) {
    multiple[slices.of(j)] += off[j] * direction[j];
    square[slices.of(j)] += direction[j] * direction[j];
  }
  for (std::size_t s = 0; s < slices.count; ++s) multiple[s] /= square[s];
  for (std::size_t j = 0; j < e.size(); ++j)
    if (!(std::abs(off[j] - multiple[slices.of(j)] * direction[j]) <= 1e-6 * largest)) return {};
  return multiple;
}

/// The multiples are what two tensors differ by, or by what they differ as weights of the result's gradient: then one
/// has been taken for the other.
Found one_for_another(const Evidence& e, const Slices& slices, const std::vector<double>& multiple) {
  const std::vector<Field> fields = fields_on(e.axes, e.map);
  const auto seed = spread({"", e.map.result.axes, e.map.seed}, e.axes);
  const auto told = [&](const std::vector<double>& expected) {
    for (std::size_t s = 0; s < multiple.size(); ++s)
      if (!(std::abs(expected[s] - multiple[s]) <= 1e-6 * std::abs(multiple[s]))) return false;
    return multiple.size() > 1;
  };
  for (const Field& there : fields)
    for (const Field& belongs : fields) {
      std::vector<double> difference(multiple.size(), 0.0), weighted = difference;
      for (std::size_t j = 0; j < e.size(); ++j) {
        difference[slices.of(j)] = there.values[j] - belongs.values[j];
        if (seed) weighted[slices.of(j)] -= (there.values[j] - belongs.values[j]) * (*seed)[j];
      }
      if (told(difference) || (seed && told(weighted)))
        return Cause{Mistake::other_value,
                     "a term of a sum is taken at " + there.name + " where " + belongs.name + " belongs", e.name};
    }
  return {};
}

/// The multiples are what the sums over neighbouring slices differ by.
Found of_the_next_slice(const Evidence& e, const Slices& slices, const std::vector<double>& multiple,
                        const std::vector<double>& direction) {
  const auto seed = spread({"", e.map.result.axes, e.map.seed}, e.axes);
  if (!seed || multiple.size() < 2) return {};
  std::vector<double> sums(multiple.size(), 0.0);
  for (std::size_t j = 0; j < e.size(); ++j) sums[slices.of(j)] += direction[j] * (*seed)[j];
  for (const std::size_t step : {std::size_t{1}, multiple.size() - 1}) {
    const auto difference = [&](std::size_t s) { return sums[s] - sums[(s + step) % multiple.size()]; };
    const double factor = multiple[0] / difference(0);
    bool all = true;
    for (std::size_t s = 0; s < multiple.size(); ++s)
      all = all && std::abs(factor * difference(s) - multiple[s]) <= 1e-6 * std::abs(multiple[s]);
    if (all)
      return Cause{Mistake::step_off, "one step off: a sum is that of the next place along " + e.axes.front().name,
                   e.name};
  }
  return {};
}

}  // namespace

Found missing_term(const Evidence& e) {
  if (e.size() < 3 || e.values.empty()) return {};
  std::vector<double> off(e.size());
  for (std::size_t j = 0; j < e.size(); ++j) off[j] = e.analytic[j] - e.numeric[j];
  for (const Direction& direction : directions(e))
    for (std::size_t axis = e.axes.size() + 1; axis-- > 0;) {
      const Slices slices(e, axis);
      const auto multiple = multiples(e, slices, off, direction.at);
      if (!multiple) continue;
      if (Found found = one_for_another(e, slices, *multiple)) return found;
      if (Found found = of_the_next_slice(e, slices, *multiple, direction.at)) return found;
      if (const std::size_t minus = direction.text.find(" - "); minus != std::string::npos)
        return Cause{Mistake::other_value,
                     "a term of a sum is taken at " + direction.text.substr(0, minus) + " where " +
                         direction.text.substr(minus + 3) + " belongs",
                     e.name};
      const std::string along = axis < e.axes.size() && e.axes.size() > 1 ? " along " + e.axes[axis].name : "";
      return Cause{Mistake::missing_term,
                   "a term of a sum is missing: " + (direction.text == "1"
                                                         ? "what lacks is the same for all" + along
                                                         : "what lacks is a multiple of " + direction.text + along),
                   e.name};
    }
  // Of a normalisation both means: what is the same for all, and a multiple of what is normalised.
  if (e.axes.empty()) return {};
  const Slices slices(e, e.axes.size() - 1);
  if (slices.extent < 4) return {};
  std::vector<double> means(slices.count, 0.0);
  for (std::size_t j = 0; j < e.size(); ++j) means[slices.of(j)] += off[j] / static_cast<double>(slices.extent);
  std::vector<double> less_mean = off;
  for (std::size_t j = 0; j < e.size(); ++j) less_mean[j] -= means[slices.of(j)];
  for (const Field& field : fields_on(e.axes, e.map))
    if (multiples(e, slices, less_mean, centred(field)))
      return Cause{Mistake::missing_term,
                   "a term of a sum is missing: what lacks is the same for all along " + e.axes.back().name +
                       ", and a multiple of " + field.name + " less its mean",
                   e.name};
  return {};
}

}  // namespace hindsight::causes
