// The algebra of shapes, on lists of axis types, by Boost.Hana. All of it happens at compile time;
// what remains at run time is an array of extents.
#pragma once

#include <array>
#include <boost/hana/concat.hpp>
#include <boost/hana/contains.hpp>
#include <boost/hana/remove_if.hpp>
#include <boost/hana/replace_if.hpp>
#include <boost/hana/transform.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>
#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>

#include "autodiff/axis.hpp"
#include "autodiff/error.hpp"

namespace hindsight {

namespace hana = boost::hana;

/// A list of axes as a type, in order: the last axis is the one that lies contiguous in memory.
template <IsAxis... As>
struct Axes {
  static constexpr auto types = hana::tuple_t<As...>;
  static constexpr std::size_t rank = sizeof...(As);
  static constexpr std::array<std::string_view, rank> spelled{detail::spelled<As>()...};
};

/// Names a tensor in the text of a compile error: Tensor<Source, Batch>.
template <class... As>
struct Tensor;

namespace detail {

inline constexpr auto as_axes = [](auto... t) { return Axes<typename decltype(t)::type...>{}; };

template <class List>
inline constexpr auto is_in = [](auto t) { return hana::contains(List::types, t); };

}  // namespace detail

/// Whether a list of axes has A.
template <IsAxis A, class List>
inline constexpr bool contains = decltype(hana::contains(List::types, hana::type_c<A>))::value;

/// Whether all axes of List are in Of, in whatever order.
template <class List, class Of>
inline constexpr bool is_subset = false;
template <IsAxis... As, class Of>
inline constexpr bool is_subset<Axes<As...>, Of> = (contains<As, Of> && ...);

/// The axes of List that are not in Gone, in order.
template <class List, class Gone>
using Without = decltype(hana::unpack(hana::remove_if(List::types, detail::is_in<Gone>), detail::as_axes));

/// The axes of Left, then those of Right.
template <class Left, class Right>
using Joined = decltype(hana::unpack(hana::concat(Left::types, Right::types), detail::as_axes));

/// The axes that both lists have, in the order of Left.
template <class Left, class Right>
using Common = Without<Left, Without<Left, Right>>;

/// List with From replaced by To.
template <class List, IsAxis From, IsAxis To>
using Replaced = decltype(hana::unpack(
    hana::replace_if(List::types, hana::equal.to(hana::type_c<From>), hana::type_c<To>), detail::as_axes));

namespace detail {

template <class List>
inline constexpr bool distinct = true;
template <IsAxis A, IsAxis... Rest>
inline constexpr bool distinct<Axes<A, Rest...>> = !(std::same_as<A, Rest> || ...) && distinct<Axes<Rest...>>;

/// Where axis A stands in a list that has it.
template <IsAxis A, IsAxis... As>
constexpr std::size_t index_of(Axes<As...>) {
  std::size_t i = 0, found = sizeof...(As);
  ((std::same_as<A, As> ? void(found = i) : void(), ++i), ...);
  return found;
}

}  // namespace detail

/// Where A is in a list of axes, counted from 0; the list's length where it is not.
template <IsAxis A, class List>
inline constexpr std::size_t index_in = detail::index_of<A>(List{});

/// How long each axis is.
template <std::size_t Rank>
using Extents = std::array<std::size_t, Rank>;

/// The extent of one axis, named: `extent<Source>(7)`.
template <IsAxis A>
struct Extent {
  std::size_t value = A::extent;
};

/// Says at run time how long a dynamic axis is.
template <IsAxis A>
constexpr Extent<A> extent(std::size_t value) {
  return {value};
}

template <class, class>
struct extent_given_for_an_axis_not_in_tensor;

namespace detail {

[[noreturn]] void extents_differ(const std::string& operation, const std::string& axis, std::size_t a, std::size_t b);
[[noreturn]] void extent_missing(const std::string& axis);

/// The extents of a tensor: static ones from the types, dynamic ones from the arguments.
template <IsAxis... As, class... Given>
Extents<sizeof...(As)> extents_of(Axes<As...>, Extent<Given>... given) {
  Extents<sizeof...(As)> extents{As::extent...};
  if constexpr (!(contains<Given, Axes<As...>> && ...)) {
    (void)sizeof(extent_given_for_an_axis_not_in_tensor<Tensor<Given...>, Tensor<As...>>);
  } else if constexpr (sizeof...(As) > 0) {
    ((extents[index_in<Given, Axes<As...>>] =
          (is_dynamic<Given> || given.value == Given::extent
               ? given.value
               : (extents_differ("a tensor", axis_name<Given>(), Given::extent, given.value), 0))),
     ...);
    ((extents[index_in<As, Axes<As...>>] == dynamic ? extent_missing(axis_name<As>()) : void()), ...);
  }
  return extents;
}

template <std::size_t Rank>
constexpr std::size_t count(const Extents<Rank>& extents) {
  std::size_t n = 1;
  for (std::size_t e : extents) n *= e;
  return n;
}

/// Row-major: the last axis is contiguous.
template <std::size_t Rank>
constexpr Extents<Rank> row_major(const Extents<Rank>& extents) {
  Extents<Rank> strides{};
  std::size_t stride = 1;
  for (std::size_t d = Rank; d-- > 0; stride *= extents[d]) strides[d] = stride;
  return strides;
}

/// Calls f(offset) for each element of a strided tensor, in row-major order.
template <std::size_t Rank, class F>
void each_offset(Extents<Rank> extents, Extents<Rank> strides, F f) {
  Extents<Rank> index{};
  for (std::size_t n = count(extents); n-- > 0;) {
    std::size_t at = 0;
    for (std::size_t d = 0; d < Rank; ++d) at += index[d] * strides[d];
    f(at);
    for (std::size_t d = Rank; d-- > 0;) {
      if (++index[d] < extents[d]) break;
      index[d] = 0;
    }
  }
}

}  // namespace detail
}  // namespace hindsight
