#include "autodiff/causes/evidence.hpp"

#include <algorithm>
#include <numeric>

namespace hindsight::causes {
namespace {

Evidence some(const CheckedMap& map, std::size_t operand, std::string name, std::vector<NamedAxis> axes,
              std::vector<std::size_t> index) {
  const MapOperand& by = map.operands[operand];
  Evidence e{map, operand, std::move(name), std::move(axes), std::move(index), {}, {}, {}};
  for (const std::size_t i : e.index) {
    if (!by.field.values.empty()) e.values.push_back(by.field.values[i]);
    e.analytic.push_back(by.analytic[i]);
    e.numeric.push_back(by.numeric[i]);
  }
  return e;
}

/// The elements of gate g along the last axis.
std::vector<std::size_t> elements_of_gate(const std::vector<NamedAxis>& axes, std::size_t g) {
  const std::size_t extent = axes.back().extent, each = axes.back().gate_extent();
  std::vector<std::size_t> index;
  for (std::size_t i = 0; i < count(axes); ++i)
    if (i % extent / each == g) index.push_back(i);
  return index;
}

std::vector<NamedAxis> axes_of_gate(std::vector<NamedAxis> axes) {
  axes.back() = {axes.back().each, axes.back().gate_extent()};
  return axes;
}

bool gated(const std::vector<NamedAxis>& axes) { return !axes.empty() && !axes.back().gates.empty(); }

}  // namespace

std::vector<double> Evidence::numeric_for(const std::vector<double>& seed) const {
  std::vector<double> gradients(size(), 0.0);
  for (std::size_t k = 0; k < seed.size(); ++k)
    if (seed[k] != 0)
      for (std::size_t j = 0; j < size(); ++j) gradients[j] += seed[k] * jacobian(k, j);
  return gradients;
}

Evidence whole(const CheckedMap& map, std::size_t operand) {
  const Field& field = map.operands[operand].field;
  std::vector<std::size_t> all(map.operands[operand].analytic.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return some(map, operand, field.name, field.axes, std::move(all));
}

std::vector<Evidence> parts(const CheckedMap& map, std::size_t operand) {
  const Field& field = map.operands[operand].field;
  std::vector<Evidence> all;
  if (gated(field.axes)) {
    for (std::size_t g = 0; g < field.axes.back().gates.size(); ++g)
      all.push_back(some(map, operand, field.name + " " + field.axes.back().gates[g], axes_of_gate(field.axes),
                         elements_of_gate(field.axes, g)));
  } else if (field.axes.size() > 1 && field.axes.front().extent > 0) {
    const NamedAxis& first = field.axes.front();
    const std::size_t each = count(field.axes) / first.extent;
    for (std::size_t i = 0; i < first.extent; ++i) {
      std::vector<std::size_t> index(each);
      std::iota(index.begin(), index.end(), i * each);
      all.push_back(some(map, operand, field.name + " " + first.position(i), {field.axes.begin() + 1, field.axes.end()},
                         std::move(index)));
    }
  }
  return all;
}

Fit::Fit(const Evidence& e) : e_(e) {
  for (std::size_t j = 0; j < e.size(); ++j) {
    largest_ = std::max({largest_, std::abs(e.analytic[j]), std::abs(e.numeric[j])});
    off_ = std::max(off_, std::abs(e.analytic[j] - e.numeric[j]));
  }
}

std::size_t Fit::wrong() const {
  std::size_t n = 0;
  for (std::size_t j = 0; j < e_.size(); ++j) n += !(std::abs(e_.analytic[j] - e_.numeric[j]) <= 1e-7 * largest_);
  return n;
}

bool Fit::operator()(const std::vector<double>& expected) const {
  if (expected.size() != e_.size() || expected.empty()) return false;
  const double slack = std::min(1e-6 * largest_, 1e-2 * off_);
  for (std::size_t j = 0; j < expected.size(); ++j)
    if (!(std::abs(e_.analytic[j] - expected[j]) <= slack)) return false;
  return true;
}

JacobianFit::JacobianFit(const Evidence& e) : analytic_(e.by().analytic_jacobian) {
  const std::vector<double>& right = e.by().jacobian;
  double off = 0;
  for (std::size_t n = 0; n < right.size(); ++n) {
    largest_ = std::max({largest_, std::abs(right[n]), std::abs(analytic_[n])});
    off = std::max(off, std::abs(right[n] - analytic_[n]));
  }
  slack_ = std::min(1e-6 * largest_, 1e-2 * off);
}

std::string_view bare(std::string_view name) {
  while (name.starts_with("From<") || name.starts_with("Next<")) name = name.substr(5, name.size() - 6);
  return name;
}

bool alike(const NamedAxis& a, const NamedAxis& b) { return a.extent == b.extent && bare(a.name) == bare(b.name); }

std::size_t along(const std::vector<NamedAxis>& axes, std::size_t d, std::size_t i) {
  for (std::size_t inner = axes.size(); inner-- > d + 1;) i /= axes[inner].extent;
  return i % axes[d].extent;
}

std::vector<Field> gates_of(const Field& field) {
  std::vector<Field> all;
  if (!gated(field.axes)) return all;
  for (std::size_t g = 0; g < field.axes.back().gates.size(); ++g) {
    Field gate{field.name + " " + field.axes.back().gates[g], axes_of_gate(field.axes), {}};
    for (const std::size_t i : elements_of_gate(field.axes, g)) gate.values.push_back(field.values[i]);
    all.push_back(std::move(gate));
  }
  return all;
}

std::optional<std::vector<double>> spread(const Field& field, const std::vector<NamedAxis>& axes) {
  std::vector<std::size_t> strides(axes.size(), 0);
  std::size_t found = 0, stride = 1;
  for (std::size_t f = field.axes.size(); f-- > 0; stride *= field.axes[f].extent)
    for (std::size_t d = 0; d < axes.size(); ++d)
      if (axes[d] == field.axes[f]) {
        strides[d] = stride;
        ++found;
      }
  if (found != field.axes.size()) return {};
  std::vector<double> values(count(axes));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t at = 0, rest = i;
    for (std::size_t d = axes.size(); d-- > 0; rest /= axes[d].extent) at += rest % axes[d].extent * strides[d];
    values[i] = field.values[at];
  }
  return values;
}

std::vector<Field> fields_on(const std::vector<NamedAxis>& axes, const CheckedMap& map) {
  std::vector<Field> all;
  const auto add = [&](const Field& field) {
    if (field.values.empty()) return;
    if (auto values = spread(field, axes)) all.push_back({field.name, axes, std::move(*values)});
  };
  const auto add_with_gates = [&](const Field& field) {
    add(field);
    for (const Field& gate : gates_of(field)) add(gate);
  };
  for (const MapOperand& operand : map.operands) add_with_gates(operand.field);
  add_with_gates(map.result);
  for (const Field& field : inner_fields(map)) add_with_gates(field);
  return all;
}

}  // namespace hindsight::causes
