// What a wrong backward looks like it comes from.
#pragma once

#include <vector>

#include "autodiff/checked_map.hpp"
#include "autodiff/gradient_report.hpp"

namespace hindsight {

/// The likely causes of the wrong gradients by one operand: one for the operand as a whole where there is one, else
/// for each gate, or for each place along the first axis, that shows one. Mistakes without a pattern give none.
/// Without a jacobian or `evaluate`, as where a whole model was checked, only what shows in the gradients is told.
std::vector<Cause> likely_causes(const CheckedMap& map, std::size_t operand);

}  // namespace hindsight
