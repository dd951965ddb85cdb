// Axes are types. A shape is a list of named axes, not of numbers:
//
//     struct Batch  : Axis<32> {};         struct Hidden : Axis<128> {};
//     struct Source : Axis<dynamic> {};    // its extent is known at run time only
//
// A block of gates is an axis too: Gates<Hidden, Forget, Input> is as long as two Hidden, and its
// parts have names, never indices.
#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

namespace hindsight {

/// The extent of an axis that is known at run time only.
inline constexpr std::size_t dynamic = static_cast<std::size_t>(-1);

/// Base of every axis: `struct Batch : Axis<32> {};`
template <std::size_t Extent = dynamic>
struct Axis {
  static constexpr std::size_t extent = Extent;
};

template <class A>
concept IsAxis = requires {
  { A::extent } -> std::convertible_to<std::size_t>;
};

template <IsAxis A>
inline constexpr bool is_dynamic = A::extent == dynamic;

/// Gates side by side, each as long as H: a `Linear<In, Gates<H, Forget, Input>>` computes both at
/// once, and `gate<Forget>(z)` is the part that belongs to Forget.
template <IsAxis H, class... Names>
struct Gates : Axis<is_dynamic<H> ? dynamic : H::extent * sizeof...(Names)> {
  using Each = H;
};

/// The same axis under a second name: as long as A, and another type. `rename<A, Next<A>>(x)`.
template <IsAxis A>
struct Next : Axis<A::extent> {};

/// A as the input axis of a map: a matrix from A to A needs two names for it.
template <IsAxis A>
struct From : Axis<A::extent> {};

namespace detail {

/// The name of a type as the compiler spells it, without namespaces.
template <class A>
constexpr std::string_view spelled() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::string_view before = "A = ";
  constexpr std::size_t begin = text.find(before) + before.size();
  constexpr std::size_t end = text.find_first_of(";]", begin);
  return text.substr(begin, end - begin);
}

std::string without_namespaces(std::string_view type_name);

template <class Name, IsAxis H, class... Names>
constexpr std::size_t gate_index(Gates<H, Names...>*) {
  std::size_t index = 0, found = sizeof...(Names);
  ((std::same_as<Name, Names> ? void(found = index) : void(), ++index), ...);
  return found;
}
template <IsAxis H, class... Names>
constexpr std::size_t gate_count(Gates<H, Names...>*) {
  return sizeof...(Names);
}

}  // namespace detail

template <class A>
inline constexpr bool is_gates = false;
template <IsAxis H, class... Names>
inline constexpr bool is_gates<Gates<H, Names...>> = true;

/// The axis's name, for messages: "Source", "Gates<Hidden, Forget, Input>".
template <class A>
std::string axis_name() {
  return detail::without_namespaces(detail::spelled<A>());
}

}  // namespace hindsight
