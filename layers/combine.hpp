// Cells made of cells: stacks and residual connections.
#pragma once

#include <array>
#include <tuple>

#include "autodiff/module.hpp"
#include "layers/dropout.hpp"
#include "layers/unroll.hpp"

namespace hindsight {

/// Cells one above the other: each reads what the one below shows, at the same step. The state is the
/// tuple of the layers' states, the bottom one first. `between[l]` drops from what layer l shows.
template <class... Cells>
struct Stack {
  static_assert((sizeof(detail::LackingInCell<Cells>) && ...));
  using Layers = std::tuple<Cells...>;
  static constexpr std::size_t depth = sizeof...(Cells);
  using Bottom = std::tuple_element_t<0, Layers>;
  using Top = std::tuple_element_t<depth - 1, Layers>;
  using In = typename Bottom::In;
  using Hidden = typename Top::Hidden;
  using Scalar = typename Bottom::Scalar;
  using Dropouts = std::array<Dropout, depth - 1>;
  BOOST_HANA_DEFINE_STRUCT(Stack, (Layers, layers), (Dropouts, between));

  template <IsAxis B, class... States>
  std::tuple<States...> operator()(const Var<Scalar, B, In>& x, const std::tuple<States...>& states) const {
    static_assert(sizeof...(States) == depth, "a stack's state is the tuple of its layers' states");
    return upwards<0>(x, states);
  }

  template <IsAxis B>
  auto initial(Extent<B> batch = {}) const {
    return std::apply([&](const auto&... cell) { return std::tuple(cell.initial(batch)...); }, layers);
  }

 private:
  template <std::size_t L, class X, class States>
  auto upwards(const X& x, const States& states) const {
    const auto state = std::get<L>(layers)(x, std::get<L>(states));
    if constexpr (L + 1 == depth)
      return std::tuple(state);
    else
      return std::tuple_cat(std::tuple(state), upwards<L + 1>(between[L](output(state)), states));
  }
};

/// What a residual cell carries: the inner cell's state, and what was shown, x + h.
template <class Inner, class Shown>
struct ResidualState {
  Inner inner;
  Shown shown;
};
template <class F, class Inner, class Shown, class... More>
ResidualState<Inner, Shown> zip(F f, const ResidualState<Inner, Shown>& s, const More&... more) {
  return {zip(f, s.inner, more.inner...), f(s.shown, more.shown...)};
}
template <class Inner, class Shown>
Shown output(const ResidualState<Inner, Shown>& s) {
  return s.shown;
}

/// Shows x_t + h_t: the cell learns what to add to its input (He et al. 2016). In and Hidden are one axis.
template <class Cell>
struct Residual {
  static_assert(sizeof(detail::LackingInCell<Cell>));
  using In = typename Cell::In;
  using Hidden = typename Cell::Hidden;
  using Scalar = typename Cell::Scalar;
  static_assert(std::same_as<In, Hidden>, "Residual<Cell>: x + h needs the cell's In and Hidden to be one axis");
  BOOST_HANA_DEFINE_STRUCT(Residual, (Cell, cell));

  template <IsAxis B, class Inner, class Shown>
  ResidualState<Inner, Shown> operator()(const Var<Scalar, B, In>& x, const ResidualState<Inner, Shown>& s) const {
    const Inner inner = cell(x, s.inner);
    return {inner, x + output(inner)};
  }

  template <IsAxis B>
  auto initial(Extent<B> batch = {}) const {
    const auto inner = cell.initial(batch);
    return ResidualState<std::remove_cvref_t<decltype(inner)>, Var<Scalar, B, Hidden>>{inner, output(inner)};
  }
};

}  // namespace hindsight
