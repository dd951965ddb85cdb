#include "autodiff/hand_written.hpp"

#include <algorithm>
#include <cmath>

#include "autodiff/causes/causes.hpp"
#include "autodiff/slope.hpp"

namespace hindsight {
namespace {

OperandValues values_of(const std::vector<Field>& fields) {
  OperandValues values;
  for (const Field& field : fields) values.push_back(field.values);
  return values;
}

/// The axes of the first operand of this size; else one of elements.
std::vector<NamedAxis> axes_like(const std::vector<Field>& operands, std::size_t size) {
  for (const Field& operand : operands)
    if (operand.values.size() == size) return operand.axes;
  return size == 1 ? std::vector<NamedAxis>{} : std::vector<NamedAxis>{{"element", size}};
}

/// What is wrong with the shape of what a backward returned; empty if nothing is.
std::string misshapen(const std::string& name, const std::vector<Field>& operands, const OperandValues& gradients) {
  if (gradients.size() != operands.size())
    return "the backward of " + name + " returns " + std::to_string(gradients.size()) + " gradients for " +
           std::to_string(operands.size()) + " operands";
  for (std::size_t o = 0; o < operands.size(); ++o)
    if (gradients[o].size() != operands[o].values.size())
      return "the backward of " + name + " returns " + std::to_string(gradients[o].size()) + " numbers for " +
             operands[o].name + ", which has " + std::to_string(operands[o].values.size());
  return {};
}

CheckedTensor compared(const CheckedMap& map, std::size_t operand, double tolerance) {
  const MapOperand& by = map.operands[operand];
  CheckedTensor tensor{by.field.name, by.field.axes};
  std::vector<double> values = by.field.values, largest(tensor.blocks(), 0.0);
  for (std::size_t j = 0; j < values.size(); ++j)
    largest[tensor.block(j)] = std::max(largest[tensor.block(j)], std::abs(by.analytic[j]));
  for (std::size_t j = 0; j < values.size(); ++j) {
    const auto at = [&](double step) {
      values[j] = by.field.values[j] + step;
      const Substitution moved{operand, values};
      std::vector<double> result = map.evaluate({&moved, 1});
      values[j] = by.field.values[j];
      return result;
    };
    tensor.elements.push_back(compared_with(
        j, by.analytic[j],
        slope_at(values[j], map.seed, map.result.values, at, by.analytic[j], largest[tensor.block(j)], tolerance)));
  }
  tensor.scale(std::move(largest));
  return tensor;
}

/// The check; `backward` may be empty, and then only the gradients for dy are known.
GradientReport check(const std::string& name, std::vector<Field> operands,
                     const std::function<Numbers(const OperandValues&)>& forward, const Numbers& dy,
                     const OperandValues& gradients, const std::function<OperandValues(const Numbers&)>& backward,
                     const BackwardOptions& options) {
  GradientReport report;
  report.tolerance = options.tolerance;
  for (Field& operand : operands)
    if (operand.axes.empty() && operand.values.size() != 1) operand.axes = {{"element", operand.values.size()}};
  if (const std::string problem = misshapen(name, operands, gradients); !problem.empty()) {
    report.problems.push_back(problem);
    return report;
  }

  const OperandValues values = values_of(operands);
  CheckedMap map;
  map.name = name;
  map.result = {"the result", options.result_axes, forward(values)};
  if (map.result.axes.empty()) map.result.axes = axes_like(operands, map.result.values.size());
  map.seed = dy;
  for (std::size_t o = 0; o < operands.size(); ++o) map.operands.push_back({operands[o], false, gradients[o], {}, {}});
  map.evaluate = [&](std::span<const Substitution> substitutions) {
    OperandValues at = values;
    for (const auto& [operand, replaced] : substitutions) at[operand].assign(replaced.begin(), replaced.end());
    return forward(at);
  };
  for (std::size_t o = 0; o < operands.size(); ++o) report.tensors.push_back(compared(map, o, options.tolerance));
  if (report.failed() == 0) return report;
  for (std::size_t k = 0; backward && k < dy.size(); ++k) {
    Numbers one(dy.size(), 0.0);
    one[k] = 1;
    const OperandValues row = backward(one);
    for (std::size_t o = 0; o < operands.size(); ++o) {
      std::vector<double>& all = map.operands[o].analytic_jacobian;
      all.insert(all.end(), row[o].begin(), row[o].end());
    }
  }
  for (std::size_t o = 0; o < operands.size(); ++o) differentiate(map, o);
  for (std::size_t o = 0; o < operands.size(); ++o) {
    if (!report.any_wrong(report.tensors[o])) continue;
    std::vector<Cause> causes = likely_causes(map, o);
    if (causes.empty()) report.unexplained.push_back(operands[o].name + " in " + name);
    for (Cause& cause : causes) report.causes.push_back({cause.mistake, cause.text, cause.place + " in " + name});
  }
  return report;
}

}  // namespace

GradientReport check_backward(const std::string& name, std::vector<Field> operands,
                              const std::function<Numbers(const OperandValues&)>& forward,
                              const std::function<OperandValues(const OperandValues&, const Numbers&)>& backward,
                              const BackwardOptions& options) {
  const OperandValues values = values_of(operands);
  const Numbers dy = random_seed(forward(values).size(), Random{options.seed}.child("the result's gradient"));
  return check(
      name, std::move(operands), forward, dy, backward(values, dy),
      [&](const Numbers& seed) { return backward(values, seed); }, options);
}

GradientReport check_backward(const std::string& name, std::vector<Field> operands,
                              const std::function<Numbers(const OperandValues&)>& forward, const Numbers& dy,
                              const OperandValues& gradients, const BackwardOptions& options) {
  return check(name, std::move(operands), forward, dy, gradients, {}, options);
}

}  // namespace hindsight
