// `zip(f, a, b)`: f of each variable of a and its fellow of b, for what is made of variables: one of them, a tuple of
// such, a cell's state (layers/state.hpp), or a struct of one's own with a `zip` beside it.
#pragma once

#include <tuple>
#include <utility>

#include "autodiff/var.hpp"

namespace hindsight {

/// f on a variable and on its fellows.
template <class F, class T, IsAxis... As, class... More>
Var<T, As...> zip(F f, const Var<T, As...>& v, const More&... more) {
  return f(v, more...);
}

/// f on each variable of a tuple's parts and on its fellows of other tuples of the same type.
template <class F, class... Ss, class... More>
std::tuple<Ss...> zip(F f, const std::tuple<Ss...>& s, const More&... more) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto part = [&]<std::size_t L>(std::integral_constant<std::size_t, L>) {
      return zip(f, std::get<L>(s), std::get<L>(more)...);
    };
    return std::tuple<Ss...>{part(std::integral_constant<std::size_t, I>{})...};
  }(std::index_sequence_for<Ss...>{});
}

namespace detail {

template <class X>
concept MadeOfVariables = requires(const X& x) { zip([](const auto& v) { return v; }, x); };

/// Calls visit(v, fellows...) for each variable of x.
template <class Visit, class X, class... More>
void each_variable(Visit visit, const X& x, const More&... more) {
  zip([&](const auto& v, const auto&... fellows) { return visit(v, fellows...), v; }, x, more...);
}

}  // namespace detail
}  // namespace hindsight
