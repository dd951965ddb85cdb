// What a cell is.
//
// A cell is a struct of parameters and modules (autodiff/module.hpp) with
//
//     In, Hidden, Scalar                the axis it reads, the axis it shows, float or double (or Complex, to be checked)
//     initial(extent<Batch>(n))         its first state
//     operator()(x, s)                  x of Batch x In and a state -> the next state, of the same type
//
// and its state, for which HiddenState (h) and State (h and c) of layers/state.hpp are there to be used, is a struct
// of variables of Batch x ... with two functions beside it:
//
//     output(s)                         what is shown of it, of Batch x Hidden
//     zip(f, s, more...)                the state of f(v, more's v...) for each of its variables v
//
// `unroll`, `Stack`, `Bidirectional` and `check_cell` ask for this where they are given a cell. A cell that lacks
// something does not compile, and the first error says what; a mistake inside of the equations is told as itself.
#pragma once

#include "layers/state.hpp"

namespace hindsight {

template <class Cell>
struct a_cell_needs_the_axis_In;
template <class Cell>
struct a_cell_needs_the_axis_Hidden;
template <class Cell>
struct a_cell_needs_a_Scalar;
template <class Cell>
struct a_cell_needs_an_initial_state;
template <class Cell>
struct a_cells_functions_must_be_const;
template <class Cell, class Input, class State_>
struct a_cell_is_called_with_an_input_and_a_state;
template <class Cell, class Takes, class Returns>
struct a_cell_must_return_the_kind_of_state_it_takes;
template <class Hidden, class Shown>
struct a_cell_must_show_its_axis_Hidden;
template <class State_>
struct a_state_needs_an_output;
template <class State_>
struct a_state_needs_a_zip_over_its_variables;

namespace detail {

struct Sequences : Axis<> {};  // some batch

template <class Cell>
concept HasIn = IsAxis<typename Cell::In>;
template <class Cell>
concept HasHidden = IsAxis<typename Cell::Hidden>;
template <class Cell>
concept HasScalar = std::is_floating_point_v<typename Cell::Scalar> || std::same_as<typename Cell::Scalar, Complex>;
template <class Cell>
concept HasInitial = requires(Cell& cell, Extent<Sequences> batch) { cell.initial(batch); };
template <class Cell, class X, class S>
concept Callable = requires(Cell& cell, const X& x, const S& s) { cell(x, s); };
template <class S>
concept HasOutput = requires(const S& s) { output(s); };
template <class S>
concept HasZip = requires(const S& s) { zip([](const auto& v) { return v; }, s); };

/// What a type lacks to be a cell, all but its call: one of the types above, which are not defined; else char.
template <class Cell>
auto lacking_in_cell() {
  if constexpr (!HasIn<Cell>)
    return std::type_identity<a_cell_needs_the_axis_In<Cell>>{};
  else if constexpr (!HasHidden<Cell>)
    return std::type_identity<a_cell_needs_the_axis_Hidden<Cell>>{};
  else if constexpr (!HasScalar<Cell>)
    return std::type_identity<a_cell_needs_a_Scalar<Cell>>{};
  else if constexpr (!HasInitial<Cell>)
    return std::type_identity<a_cell_needs_an_initial_state<Cell>>{};
  else if constexpr (!HasInitial<const Cell>)
    return std::type_identity<a_cells_functions_must_be_const<Cell>>{};
  else
    return std::type_identity<char>{};
}
template <class Cell>
using LackingInCell = typename decltype(lacking_in_cell<Cell>())::type;

/// What is missing for a cell to go from a state and an input to the next state; else char.
template <class Cell, class X, class S>
auto lacking_in_step() {
  if constexpr (!HasOutput<S>) {
    return std::type_identity<a_state_needs_an_output<S>>{};
  } else if constexpr (!HasZip<S>) {
    return std::type_identity<a_state_needs_a_zip_over_its_variables<S>>{};
  } else if constexpr (Callable<const Cell, X, S>) {
    using Next = std::remove_cvref_t<decltype(std::declval<const Cell&>()(std::declval<X>(), std::declval<S>()))>;
    using Shown = typename std::remove_cvref_t<decltype(output(std::declval<const S&>()))>::Shape;
    if constexpr (!std::is_same_v<Next, S>)
      return std::type_identity<a_cell_must_return_the_kind_of_state_it_takes<Cell, S, Next>>{};
    else if constexpr (!HasHidden<Cell>)  // a function that takes a step
      return std::type_identity<char>{};
    else if constexpr (!contains<typename Cell::Hidden, Shown>)
      return std::type_identity<a_cell_must_show_its_axis_Hidden<typename Cell::Hidden, Shown>>{};
    else
      return std::type_identity<char>{};
  } else if constexpr (Callable<Cell, X, S>) {
    return std::type_identity<a_cells_functions_must_be_const<Cell>>{};
  } else {
    return std::type_identity<a_cell_is_called_with_an_input_and_a_state<Cell, X, S>>{};
  }
}
template <class Cell, class X, class S>
using LackingInStep = typename decltype(lacking_in_step<Cell, X, S>())::type;

}  // namespace detail
}  // namespace hindsight
