#include "autodiff/causes/entries.hpp"

#include <algorithm>
#include <set>

namespace hindsight::causes {
namespace {

/// Is `axis` as long as a gate of `block`, and called so?
bool is_each(const NamedAxis& axis, const NamedAxis& block) {
  return !block.gates.empty() && block.gate_extent() == axis.extent && bare(block.each) == bare(axis.name);
}

/// An axis of the result or of the operand that an axis of a factor may be.
struct Target {
  bool of_result;
  std::size_t d;
  bool within_gate;
  auto operator<=>(const Target&) const = default;
};

}  // namespace

Entries::Entries(const Evidence& e, bool zeros) : e_(e), gradients_(e) {
  const std::vector<NamedAxis>& result = e.map.result.axes;
  const auto agree = [&](std::size_t k, std::size_t j) {
    for (std::size_t r = 0; r < result.size(); ++r)
      for (std::size_t d = 0; d < e.axes.size(); ++d)
        if (result[r] == e.axes[d] && along(result, r, k) != along(e.axes, d, j)) return false;
    return true;
  };
  double largest = 0, off = 0;
  for (std::size_t k = 0; k < e.map.seed.size(); ++k)
    for (std::size_t j = 0; j < e.size(); ++j) {
      const double slope = e.jacobian(k, j);
      if (e.has_analytic_jacobian()) {
        largest = std::max({largest, std::abs(slope), std::abs(e.analytic_jacobian(k, j))});
        off = std::max(off, std::abs(slope - e.analytic_jacobian(k, j)));
      }
      if (zeros ? agree(k, j) : slope != 0) {
        result_.push_back(k);
        element_.push_back(j);
        jacobian_.push_back(slope);
        if (e.has_analytic_jacobian()) analytic_.push_back(e.analytic_jacobian(k, j));
      } else if (e.has_analytic_jacobian() && std::abs(e.analytic_jacobian(k, j)) > 1e-9) {
        elsewhere_ = true;
      }
    }
  slack_ = std::min(1e-6 * largest, 1e-2 * off);
}

std::vector<Factor> Entries::at(const Field& field) const {
  const std::vector<NamedAxis>& result = e_.map.result.axes;
  std::vector<std::vector<Target>> ways{{}};
  for (const NamedAxis& axis : field.axes) {
    std::vector<Target> targets;
    const auto add = [&](bool of_result, const std::vector<NamedAxis>& axes) {
      for (std::size_t d = 0; d < axes.size(); ++d)
        if (alike(axis, axes[d]) || is_each(axis, axes[d])) targets.push_back({of_result, d, !alike(axis, axes[d])});
    };
    add(false, e_.axes);
    add(true, result);
    std::vector<std::vector<Target>> longer;
    for (const auto& way : ways)
      for (const Target& target : targets)
        if (std::find(way.begin(), way.end(), target) == way.end()) {
          longer.push_back(way);
          longer.back().push_back(target);
        }
    ways = std::move(longer);
  }
  std::vector<Factor> factors;
  std::set<std::vector<double>> seen;
  for (const auto& way : ways) {
    std::vector<double> values(size());
    for (std::size_t n = 0; n < size(); ++n) {
      std::size_t i = 0;
      for (std::size_t d = 0; d < way.size(); ++d) {
        const std::vector<NamedAxis>& axes = way[d].of_result ? result : e_.axes;
        const std::size_t place = along(axes, way[d].d, way[d].of_result ? result_[n] : element_[n]);
        i = i * field.axes[d].extent + (way[d].within_gate ? place % field.axes[d].extent : place);
      }
      values[n] = field.values[i];
    }
    if (seen.insert(values).second) factors.push_back({field.name, std::move(values)});
  }
  return factors;
}

std::vector<Factor> Entries::at_hand() const {
  struct Named {
    std::vector<Factor> factors;
    std::string gate;
  };
  std::vector<Named> all;
  const auto add = [&](const Field& field) {
    if (field.values.empty()) return;
    all.push_back({at(field), ""});
    for (const Field& gate : gates_of(field)) all.push_back({at(gate), gate.name.substr(gate.name.rfind(' '))});
  };
  for (const MapOperand& operand : e_.map.operands) add(operand.field);
  const std::size_t operands = all.size();
  add(e_.map.result);
  for (const Field& field : inner_fields(e_.map)) add(field);

  std::vector<Factor> factors;
  for (const Named& named : all) factors.insert(factors.end(), named.factors.begin(), named.factors.end());
  const auto add_sum = [&](const Factor& a, const Factor& b) {
    for (const double sign : {1.0, -1.0}) {
      Factor sum{a.text + (sign > 0 ? " + " : " - ") + b.text, a.at, true, a.text, b.text};
      for (std::size_t n = 0; n < size(); ++n) sum.at[n] += sign * b.at[n];
      factors.push_back(std::move(sum));
    }
  };
  for (std::size_t a = 0; a < operands; ++a)
    for (std::size_t b = a + 1; b < operands; ++b)
      if (all[a].gate == all[b].gate)
        for (const Factor& x : all[a].factors)
          for (const Factor& y : all[b].factors) add_sum(x, y);
  return factors;
}

std::vector<Entries::Part> Entries::gates_of_result() const {
  std::vector<Part> parts;
  const std::vector<NamedAxis>& axes = e_.map.result.axes;
  if (axes.empty()) return parts;
  const NamedAxis& last = axes.back();
  for (std::size_t g = 0; g < last.gates.size(); ++g) {
    Part part{last.gates[g], std::vector<bool>(size())};
    for (std::size_t n = 0; n < size(); ++n) part.in[n] = result_[n] % last.extent / last.gate_extent() == g;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace hindsight::causes
