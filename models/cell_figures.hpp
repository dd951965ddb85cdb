// What is measured of a cell, beside an LSTM of as many parameters: no right or wrong, but figures.
#pragma once

#include <memory>
#include <vector>

#include "models/adding_problem.hpp"
#include "models/cell_report.hpp"
#include "models/checked_cell.hpp"

namespace hindsight {

/// How much is measured.
struct CellOptions {
  AddingOptions adding;
  std::size_t seeds = 3;   ///< nets that learn the adding problem, one a seed
  std::size_t timed = 15;  ///< training steps that are timed, of each of the two
};

/// A cell, and nets around it, one a seed.
struct MeasuredCell {
  std::string name;
  std::size_t parameters;
  std::unique_ptr<CheckedCell> cell;
  std::vector<std::unique_ptr<AddingLearner>> learners;
};

/// What a measured cell reads, and what the LSTM beside it keeps: the size all others are brought to.
namespace measured {
struct In : Axis<32> {};
template <std::size_t N>
struct Hidden : Axis<N> {};
inline constexpr std::size_t lstm_hidden = 32;
}  // namespace measured

template <class Cell>
MeasuredCell measured_cell(std::string name, const CellOptions& options) {
  MeasuredCell out{std::move(name), parameters<Cell>, std::make_unique<CheckedCellOf<Cell>>(options.adding.seed), {}};
  AddingOptions adding = options.adding;
  for (std::size_t i = 0; i < options.seeds; ++i, ++adding.seed)
    out.learners.push_back(std::make_unique<AddingNet<Cell>>(adding));
  return out;
}

/// The LSTM that others stand beside.
MeasuredCell measured_lstm(const CellOptions& options);

/// The gradient's norm against the lag, how far the adding problem is learned, and the time of a training step.
std::vector<CellItem> measure(MeasuredCell& cell, MeasuredCell& lstm, const CellOptions& options);

}  // namespace hindsight
