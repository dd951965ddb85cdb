// The whole battery for a cell of one's own, in one call:
//
//     const CellReport report = check_cell<MyCell>();
//     std::printf("%s", report.text().c_str());       // report.ok() says if all is right
//
// Right or wrong: its gradients over several steps, a batch beside its sequences, masks, no steps at all, states that
// are carried, float beside double. Figures, beside an LSTM of as many parameters: the gradient's norm against the
// lag, the adding problem, the time of a training step. docs/cell.md says what each line means.
#pragma once

#include "autodiff/axis.hpp"
#include "models/cell_figures.hpp"
#include "models/cell_rules.hpp"

namespace hindsight {

template <class Cell>
struct a_cell_must_list_its_members_with_BOOST_HANA_DEFINE_STRUCT;

namespace detail {

/// The smallest hidden extent in [Low, High] with which a cell has at least as many parameters as the LSTM.
template <template <class...> class Cell, std::size_t Low, std::size_t High>
constexpr std::size_t equal_hidden() {
  constexpr std::size_t wanted = 4 * measured::lstm_hidden * (measured::In::extent + measured::lstm_hidden + 1);
  constexpr std::size_t middle = (Low + High) / 2;
  if constexpr (Low == High)
    return Low;
  else if constexpr (parameters<Cell<measured::In, measured::Hidden<middle>, float>> < wanted)
    return equal_hidden<Cell, middle + 1, High>();
  else
    return equal_hidden<Cell, Low, middle>();
}

/// A cell's own `name` if it has one, else its type's.
template <class Cell>
std::string cell_name() {
  if constexpr (requires { { Cell::name } -> std::convertible_to<std::string>; }) {
    return Cell::name;
  } else {
    const std::string name = axis_name<Cell>();
    return name.substr(0, name.find('<'));
  }
}

/// What a type lacks to be checked as a cell; else char. Parameters that are not listed would not be found.
template <class Cell>
using LackingToBeChecked =
    std::conditional_t<std::same_as<LackingInCell<Cell>, char> && !IsModule<Cell> && !std::is_empty_v<Cell>,
                       a_cell_must_list_its_members_with_BOOST_HANA_DEFINE_STRUCT<Cell>, LackingInCell<Cell>>;

template <class Double, class Float>
CellReport cell_rules() {
  CheckedCellOf<Double> in_double(1, 0.9);
  CheckedCellOf<Float> in_float(1, 0.9);
  return {cell_name<Double>(), check_rules(in_double, in_float)};
}

}  // namespace detail

/// What is right or wrong of a cell, a template of its axes In and Hidden and its scalar. One with further parameters
/// is given as an alias: `template <IsAxis In, IsAxis H, class T> using Net = Rnn<In, H, T, Relu>;`
template <template <class...> class Cell>
CellReport check_cell_rules() {
  using Double = Cell<checked::In, checked::Hidden, double>;
  using Lacking = detail::LackingToBeChecked<Double>;
  if constexpr (!std::same_as<Lacking, char>) {
    (void)sizeof(Lacking);
    return {};
  } else {
    return detail::cell_rules<Double, Cell<checked::In, checked::Hidden, float>>();
  }
}

/// All of it; of a cell that is wrong, no figures. What draws random numbers by the occasion, as Dropout does, is at
/// rest but for the training in the figures; what draws them otherwise is reported as not deterministic.
template <template <class...> class Cell>
CellReport check_cell(const CellOptions& options = {}) {
  CellReport report = check_cell_rules<Cell>();
  if constexpr (std::same_as<detail::LackingToBeChecked<Cell<checked::In, checked::Hidden, double>>, char>) {
    if (!report.ok()) return report;
    using Measured = Cell<measured::In, measured::Hidden<detail::equal_hidden<Cell, 1, 1024>()>, float>;
    MeasuredCell cell = measured_cell<Measured>(report.cell, options), lstm = measured_lstm(options);
    const std::vector<CellItem> figures = measure(cell, lstm, options);
    report.items.insert(report.items.end(), figures.begin(), figures.end());
  }
  return report;
}

}  // namespace hindsight
