// Checks a backward that was written by hand, on plain numbers and without a tape.
//
//     const GradientReport report = check_backward(
//         "tanh", {{.name = "x", .values = {0.3, -0.7}}},
//         [](const OperandValues& x) { return map(x[0], std::tanh); },
//         [](const OperandValues& x, const Numbers& dy) { return OperandValues{...}; });     // d L / d x for each operand
//
// dy is the gradient of the result, random numbers of both signs. What is wrong is explained as by check_gradients.
#pragma once

#include <functional>

#include "autodiff/checked_map.hpp"
#include "autodiff/gradient_report.hpp"

namespace hindsight {

using Numbers = std::vector<double>;
/// The values of each operand, or the gradients by each operand, row-major.
using OperandValues = std::vector<Numbers>;

struct BackwardOptions {
  /// The largest error of a right gradient, relative to the largest gradient of its block.
  double tolerance = 1e-7;
  /// Of the result's gradient.
  std::uint64_t seed = 1;
  /// The result's axes, in which causes are told; by default those of the first operand of its size.
  std::vector<NamedAxis> result_axes = {};
};

/// Compares `backward(operands, dy)` with finite differences of `forward(operands)`. Operands may have axes, in which
/// what is wrong is told. A backward that returns another number of gradients, or of another size, is a problem of the
/// report.
GradientReport check_backward(const std::string& name, std::vector<Field> operands,
                              const std::function<Numbers(const OperandValues&)>& forward,
                              const std::function<OperandValues(const OperandValues&, const Numbers&)>& backward,
                              const BackwardOptions& options = {});

/// The same of gradients that are there, for a gradient dy of the result.
GradientReport check_backward(const std::string& name, std::vector<Field> operands,
                              const std::function<Numbers(const OperandValues&)>& forward, const Numbers& dy,
                              const OperandValues& gradients, const BackwardOptions& options = {});

}  // namespace hindsight
