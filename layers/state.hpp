// What a recurrent cell carries from step to step, by name.
//
// A stack's state is the tuple of its layers' states. `zip(f, a, b)` (autodiff/zip.hpp) applies f to each variable of
// a state and its fellow of another one: masks, detaching and carrying over are written once with it.
#pragma once

#include <array>
#include <tuple>
#include <type_traits>

#include "autodiff/elementwise.hpp"
#include "autodiff/zip.hpp"

namespace hindsight {

/// The state of an LSTM: hidden state h, exposed, and cell state c, kept. Both Batch x H.
template <class T, IsAxis B, IsAxis H>
struct State {
  Var<T, B, H> h;
  Var<T, B, H> c;

  State() = default;
  State(const Var<T, B, H>& hidden, const Var<T, B, H>& cell) : h(hidden), c(cell) {}  // no State{h} without c
};
template <class T, IsAxis B, IsAxis H>
State(Var<T, B, H>, Var<T, B, H>) -> State<T, B, H>;

/// The state of a cell that exposes all it keeps: a recurrent net, a GRU. Batch x H.
template <class T, IsAxis B, IsAxis H>
struct HiddenState {
  Var<T, B, H> h;
};
template <class T, IsAxis B, IsAxis H>
HiddenState(Var<T, B, H>) -> HiddenState<T, B, H>;

/// f on each variable of a state and on its fellows of other states of the same type.
template <class F, class T, IsAxis B, IsAxis H, class... More>
State<T, B, H> zip(F f, const State<T, B, H>& s, const More&... more) {
  return {f(s.h, more.h...), f(s.c, more.c...)};
}
template <class F, class T, IsAxis B, IsAxis H, class... More>
HiddenState<T, B, H> zip(F f, const HiddenState<T, B, H>& s, const More&... more) {
  return {f(s.h, more.h...)};
}

/// What the cell shows to the next layer: h, and of a stack the top layer's h.
template <class T, IsAxis B, IsAxis H>
Var<T, B, H> output(const State<T, B, H>& s) {
  return s.h;
}
template <class T, IsAxis B, IsAxis H>
Var<T, B, H> output(const HiddenState<T, B, H>& s) {
  return s.h;
}
template <class... Ss>
auto output(const std::tuple<Ss...>& s) {
  return output(std::get<sizeof...(Ss) - 1>(s));
}

/// The same values with the past cut off: what a window of truncated backpropagation begins with.
template <class S>
  requires(!TensorLike<S>)
S detach(const S& state) {
  return zip([](const auto& v) { return detach(v); }, state);
}

}  // namespace hindsight
