// Both directions over a whole sequence, and such layers one above the other.
#pragma once

#include <tuple>

#include "autodiff/module.hpp"
#include "layers/unroll.hpp"

namespace hindsight {

/// A whole sequence that was run: what was shown at each position, and the states it ended in.
template <class Outputs, class States>
struct Ran {
  Outputs outputs;
  States last;
};

/// One cell reads forwards, another one backwards, each with parameters of its own (Schuster and
/// Paliwal 1997): Time x Batch x In -> Time x Batch x Concat<H, H>, [forward, backward] at each
/// position. `last` is (forward, backward): what each ended in, at the end and at the beginning.
template <class Cell>
struct Bidirectional {
  static_assert(sizeof(detail::LackingInCell<Cell>));
  static constexpr std::size_t directions = 2;
  using In = typename Cell::In;
  using Hidden = Concat<typename Cell::Hidden, typename Cell::Hidden>;
  using Scalar = typename Cell::Scalar;
  BOOST_HANA_DEFINE_STRUCT(Bidirectional, (Cell, forward), (Cell, backward));

  /// With a mask, each direction begins at the first real position it meets. The options' direction is not looked at.
  template <IsAxis Time, IsAxis B, class Mask = NoMask>
  auto operator()(const Var<Scalar, Time, B, In>& xs, const Mask& mask = {}, const UnrollOptions& options = {}) const {
    using H = typename Cell::Hidden;
    const auto batch = extent<B>(xs.template extent<B>());
    const auto there = unroll(forward, xs, forward.initial(batch), mask, options.in(Direction::forward));
    const auto back = unroll(backward, xs, backward.initial(batch), mask, options.in(Direction::backward));
    const auto both = concatenate<H, H>(there.outputs, back.outputs);
    using States = std::tuple<std::remove_cvref_t<decltype(there.last)>, std::remove_cvref_t<decltype(back.last)>>;
    return Ran<std::remove_cvref_t<decltype(both)>, States>{both, {there.last, back.last}};
  }
};

/// Forwards over a whole sequence, in the same form: `last` is (forward).
template <class Cell>
struct Unidirectional {
  static_assert(sizeof(detail::LackingInCell<Cell>));
  static constexpr std::size_t directions = 1;
  using In = typename Cell::In;
  using Hidden = typename Cell::Hidden;
  using Scalar = typename Cell::Scalar;
  BOOST_HANA_DEFINE_STRUCT(Unidirectional, (Cell, forward));

  template <IsAxis Time, IsAxis B, class Mask = NoMask>
  auto operator()(const Var<Scalar, Time, B, In>& xs, const Mask& mask = {}, const UnrollOptions& options = {}) const {
    const auto s0 = forward.initial(extent<B>(xs.template extent<B>()));
    const auto there = unroll(forward, xs, s0, mask, options.in(Direction::forward));
    using States = std::tuple<std::remove_cvref_t<decltype(there.last)>>;
    return Ran<std::remove_cvref_t<decltype(there.outputs)>, States>{there.outputs, {there.last}};
  }
};

/// What the top layer ended in, in the axis it shows: h_T, or [forward h_T, backward h_1].
template <class Reader, class Outputs, class States>
auto summary(const Ran<Outputs, States>& ran) {
  constexpr std::size_t n = std::tuple_size_v<States>;
  const auto top = output(std::get<n - 1>(ran.last));
  if constexpr (Reader::directions == 1) {
    return top;
  } else {
    const auto forward = output(std::get<n - 2>(ran.last));
    return [&]<class T, IsAxis B, IsAxis H>(const Var<T, B, H>&) { return concatenate<H, H>(forward, top); }(top);
  }
}

/// Whole-sequence layers one above the other. `last` lists the states from the bottom, of each layer
/// forward, then backward: [L0 forward, L0 backward, L1 forward, L1 backward].
template <class... Levels>
struct Deep {
  using Layers = std::tuple<Levels...>;
  static constexpr std::size_t depth = sizeof...(Levels);
  static constexpr std::size_t directions = std::tuple_element_t<depth - 1, Layers>::directions;  // of the top layer
  using In = typename std::tuple_element_t<0, Layers>::In;
  using Hidden = typename std::tuple_element_t<depth - 1, Layers>::Hidden;
  using Scalar = typename std::tuple_element_t<0, Layers>::Scalar;
  BOOST_HANA_DEFINE_STRUCT(Deep, (Layers, layers));

  template <IsAxis Time, IsAxis B, class Mask = NoMask>
  auto operator()(const Var<Scalar, Time, B, In>& xs, const Mask& mask = {}, const UnrollOptions& options = {}) const {
    return upwards<0>(xs, mask, options);
  }

 private:
  template <std::size_t L, class X, class Mask>
  auto upwards(const X& xs, const Mask& mask, const UnrollOptions& options) const {
    const auto ran = std::get<L>(layers)(xs, mask, options);
    if constexpr (L + 1 == depth) {
      return ran;
    } else {
      const auto above = upwards<L + 1>(ran.outputs, mask, options);
      const auto last = std::tuple_cat(ran.last, above.last);
      using Outputs = std::remove_cvref_t<decltype(above.outputs)>;
      return Ran<Outputs, std::remove_cvref_t<decltype(last)>>{above.outputs, last};
    }
  }
};

}  // namespace hindsight
