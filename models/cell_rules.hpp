// What must be true of every cell, whatever its equations.
#pragma once

#include <vector>

#include "models/cell_report.hpp"
#include "models/checked_cell.hpp"

namespace hindsight {

/// Gradients, batches, masks, no steps at all, carried states, and float beside double. `in_double` and `in_float`
/// are one cell; the parameters of the second are taken for both.
std::vector<CellItem> check_rules(CheckedCell& in_double, CheckedCell& in_float);

}  // namespace hindsight
