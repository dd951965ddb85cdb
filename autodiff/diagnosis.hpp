// What wrong gradients look like they come from.
#pragma once

#include <string>
#include <vector>

#include "autodiff/gradient_report.hpp"

namespace hindsight {

/// The likely causes of a report's wrong gradients, a line each: "the sign is flipped: cell.bias". A
/// cause is told only where the pattern shows it, and then for the largest part that shows it: a whole
/// parameter, a gate, a step along the first axis. Mistakes without a pattern give no line.
std::vector<std::string> diagnose(const GradientReport& report);

}  // namespace hindsight
