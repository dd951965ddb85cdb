// A module is a struct whose members are parameters and modules, declared with
// BOOST_HANA_DEFINE_STRUCT. One recursive walk visits every parameter with its path;
// initialisation, optimizers, checkpoints, parameter counts, gradient checks and clipping are all
// that walk.
#pragma once

#include <array>
#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "autodiff/parameter.hpp"
#include "autodiff/random.hpp"

namespace hindsight {

/// Where in a module something lies: "encoder.cell.from_hidden.weight", "layers.0.bias". Made of the
/// names on the way, so that a walk takes nothing from the heap.
struct Path {
  const Path* outer = nullptr;
  const char* name = nullptr;
  std::size_t number = 0;

  std::string text() const {
    std::string own = name ? name : std::to_string(number);
    return outer ? (outer->outer || outer->name ? outer->text() + "." : "") + own : (name ? own : "");
  }
};

template <class M>
concept IsModule = hana::Struct<std::remove_cvref_t<M>>::value;

namespace detail {

template <class M>
inline constexpr bool is_list = false;
template <class M, std::size_t N>
inline constexpr bool is_list<std::array<M, N>> = true;
template <class M>
inline constexpr bool is_list<std::vector<M>> = true;
template <class M>
inline constexpr bool is_tuple = false;
template <class... Ms>
inline constexpr bool is_tuple<std::tuple<Ms...>> = true;

}  // namespace detail

/// Calls visit(path, part) for every module and parameter in `part`, itself included, in the order
/// of declaration; a module after its members. Members that are neither are passed over, unless they
/// have first values to be given (initialise.hpp), as dropout has its path.
template <class Part, class Visit>
void walk(Part& part, Visit&& visit, const Path& path = {}) {
  using P = std::remove_cvref_t<Part>;
  if constexpr (is_parameter<P>) {
    visit(path, part);
  } else if constexpr (IsModule<P>) {
    hana::for_each(hana::accessors<P>(), [&](const auto& member) {
      walk(hana::second(member)(part), visit, Path{&path, hana::to<const char*>(hana::first(member)), 0});
    });
    visit(path, part);
  } else if constexpr (detail::is_list<P>) {
    std::size_t i = 0;
    for (auto& each : part) walk(each, visit, Path{&path, nullptr, i++});
  } else if constexpr (detail::is_tuple<P>) {
    std::size_t i = 0;
    std::apply([&](auto&... each) { (walk(each, visit, Path{&path, nullptr, i++}), ...); }, part);
  } else if constexpr (requires(const Random& random) { part.initialise(random); }) {
    visit(path, part);
  }
}

/// Calls visit(path, parameter) for every parameter.
template <class M, class Visit>
void for_each_parameter(M& module, Visit&& visit) {
  walk(module, [&](const Path& path, auto& part) {
    if constexpr (is_parameter<std::remove_cvref_t<decltype(part)>>) visit(path, part);
  });
}

/// Clears the gradients of all parameters: what an update is followed by.
template <class M>
void clear_gradients(M& module) {
  for_each_parameter(module, [](const Path&, auto& p) { p.clear_gradients(); });
}

/// How many numbers a module learns, dynamic axes included.
template <class M>
std::size_t parameter_count(const M& module) {
  std::size_t n = 0;
  for_each_parameter(module, [&](const Path&, const auto& p) { n += p.size(); });
  return n;
}

namespace detail {

template <class P>
struct StaticCount {
  static constexpr std::size_t value = 0;
};
template <class T, IsAxis... As>
struct StaticCount<Parameter<T, As...>> {
  static_assert((!is_dynamic<As> && ...), "parameters<M>: a parameter has a dynamic axis; use parameter_count(module)");
  static constexpr std::size_t value = (std::size_t{1} * ... * As::extent);
};
template <class M, std::size_t N>
struct StaticCount<std::array<M, N>> {
  static constexpr std::size_t value = N * StaticCount<M>::value;
};
template <class... Ms>
struct StaticCount<std::tuple<Ms...>> {
  static constexpr std::size_t value = (std::size_t{0} + ... + StaticCount<Ms>::value);
};
template <class M>
  requires IsModule<M>
struct StaticCount<M> {
  static constexpr std::size_t value = decltype(hana::unpack(hana::accessors<M>(), [](auto... member) {
    return std::integral_constant<
        std::size_t, (std::size_t{0} + ... +
                      StaticCount<std::remove_cvref_t<decltype(hana::second(member)(std::declval<M&>()))>>::value)>{};
  }))::value;
};

}  // namespace detail

/// How many numbers a module type learns, at compile time:
/// `static_assert(4 * parameters<Gru<..>> == 3 * parameters<Lstm<..>>)`.
template <class M>
inline constexpr std::size_t parameters = detail::StaticCount<M>::value;

}  // namespace hindsight
