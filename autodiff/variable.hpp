// Making variables: what is differentiated by, constants, and other names for what there is.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "autodiff/shape.hpp"
#include "autodiff/var.hpp"

namespace hindsight {
namespace detail {

/// A leaf's entry: it has a gradient and nothing before it.
template <class T, IsAxis... As>
struct LeafEntry {
  Var<T, As...> leaf;
  void backward(std::uint64_t) const {}
  void describe(StatementText& text) const { text.result(Axes<As...>::spelled, leaf.extents, sizeof(T)); }
};

template <class T, IsAxis... As>
Var<T, As...> copied_in(std::span<const T> values, Extents<sizeof...(As)> extents) {
  Var<T, As...> v = allocate<T, As...>(extents);
  if (values.size() != v.size())
    throw Error("variable: " + std::to_string(values.size()) + " values for a tensor of " + std::to_string(v.size()) +
                " (" + shape_name(Axes<As...>{}) + ")");
  std::copy(values.begin(), values.end(), v.value);
  return v;
}

template <class T, IsAxis... As>
void give_gradient(Var<T, As...>& v) {
  Tape& tape = Tape::current();
  if (!tape.recording()) return;
  v.gradient = tape.allocate<T>(v.size());
  v.node = tape.record(v.value, v.size(), v.gradient, {}, LeafEntry<T, As...>{v});
}

}  // namespace detail

/// A tensor to differentiate by: `variable<Batch, In>(values)`; dynamic axes take their extents:
/// `variable<Source>(values, extent<Source>(7))`. The values are copied onto the tape, row-major.
template <IsAxis... As, class T, class... Given>
Var<T, As...> variable(std::span<const T> values, Extent<Given>... given) {
  Var<T, As...> v = detail::copied_in<T, As...>(values, detail::extents_of(Axes<As...>{}, given...));
  detail::give_gradient(v);
  return v;
}
template <IsAxis... As, class T, class... Given>
Var<T, As...> variable(const std::vector<T>& values, Extent<Given>... given) {
  return variable<As...>(std::span<const T>(values), given...);
}
template <IsAxis... As, class T, class... Given>
Var<T, As...> variable(std::initializer_list<T> values, Extent<Given>... given) {
  return variable<As...>(std::span<const T>(values.begin(), values.size()), given...);
}
/// A scalar to differentiate by.
template <std::floating_point T>
Var<T> variable(T value) {
  return variable<>(std::span<const T>(&value, 1));
}

/// A tensor that is not differentiated: data, masks, targets.
template <IsAxis... As, class T, class... Given>
Var<T, As...> constant(std::span<const T> values, Extent<Given>... given) {
  return detail::copied_in<T, As...>(values, detail::extents_of(Axes<As...>{}, given...));
}
template <IsAxis... As, class T, class... Given>
Var<T, As...> constant(const std::vector<T>& values, Extent<Given>... given) {
  return constant<As...>(std::span<const T>(values), given...);
}
template <IsAxis... As, class T, class... Given>
Var<T, As...> constant(std::initializer_list<T> values, Extent<Given>... given) {
  return constant<As...>(std::span<const T>(values.begin(), values.size()), given...);
}

/// A tensor filled with one value, not differentiated: an initial state.
template <class T, IsAxis... As, class... Given>
Var<T, As...> filled(T fill, Extent<Given>... given) {
  Var<T, As...> v = detail::allocate<T, As...>(detail::extents_of(Axes<As...>{}, given...));
  std::fill_n(v.value, v.size(), fill);
  return v;
}

/// The same value, cut off from what made it: no gradient passes.
template <class T, IsAxis... As>
Var<T, As...> detach(Var<T, As...> v) {
  v.check();
  v.gradient = nullptr;  // the node stays: it tells if a parameter is edited
  v.parameter = nullptr;
  return v;
}

/// Calls a variable by a name in graphs and messages. A view's name is its own: the whole keeps its name.
template <class T, IsAxis... As>
Var<T, As...> named(std::string name, Var<T, As...> v) {
  Tape::current().name({v.value, v.size() * sizeof(T), detail::shape_name(Axes<As...>{}), std::move(name)});
  return v;
}

}  // namespace hindsight
