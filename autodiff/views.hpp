// Other ways to look at the same numbers. A view shares the value and the gradient of what it was
// taken from: it is not an entry on the tape and costs nothing.
#pragma once

#include "autodiff/operation.hpp"

namespace hindsight {

namespace detail {

/// The same memory under other axes; the extents and strides are set by the caller.
template <class Out, class T, IsAxis... As>
Out view_of(const Var<T, As...>& v, std::size_t offset) {
  v.check();
  Out out;
  out.value = v.value + offset;
  out.gradient = v.gradient ? v.gradient + offset : nullptr;
  out.node = v.node;
  out.generation = v.generation;
  out.version = v.version;
  return out;
}

[[noreturn]] void index_outside(const char* operation, const std::string& axis, std::size_t index, std::size_t extent);

}  // namespace detail

template <class, class>
struct at_axis_not_in_tensor;
template <class, class>
struct slice_axis_not_in_tensor;
template <class, class>
struct slice_of_a_static_axis_needs_an_axis_for_the_part;
template <class, class>
struct slice_part_already_in_tensor;
template <class, class>
struct gate_is_not_one_of_the_tensors_gates;
template <class, class>
struct rename_axis_not_in_tensor;
template <class, class>
struct rename_axis_already_in_tensor;
template <class, class>
struct rename_needs_axes_of_the_same_extent;
template <class, class>
struct transpose_needs_the_same_axes_in_another_order;

/// One position of an axis, which goes away: `at<Time>(xs, t)` is Batch x In.
template <IsAxis A, TensorLike X>
auto at(const X& x, std::size_t index) {
  const auto v = detail::as_var(x);
  using V = detail::VarOf<X>;
  using Shape = typename V::Shape;
  if constexpr (!contains<A, Shape>) {
    (void)sizeof(at_axis_not_in_tensor<A, detail::Spelled<X>>);
    return v;
  } else {
    constexpr std::size_t gone = index_in<A, Shape>;
    if (index >= v.extents[gone]) detail::index_outside("at", axis_name<A>(), index, v.extents[gone]);
    using Out = detail::VarOver<typename V::Scalar, Without<Shape, Axes<A>>>;
    Out out = detail::view_of<Out>(v, index * v.strides[gone]);
    for (std::size_t d = 0, from = 0; from < V::rank; ++from)
      if (from != gone) {
        out.extents[d] = v.extents[from];
        out.strides[d++] = v.strides[from];
      }
    return out;
  }
}

/// Positions begin, begin + step, ... before end of a dynamic axis A, which are all that are left where
/// no end is given; or, with a static axis Part, as many as it is long: `slice<Hidden, Half>(h, 0)`.
/// Throws Error if they lie outside, and for an end before the beginning.
template <IsAxis A, IsAxis Part = A, TensorLike X>
auto slice(const X& x, std::size_t begin, std::size_t end = Part::extent, std::size_t step = 1) {
  const auto v = detail::as_var(x);
  using V = detail::VarOf<X>;
  using Shape = typename V::Shape;
  if constexpr (!contains<A, Shape>) {
    (void)sizeof(slice_axis_not_in_tensor<A, detail::Spelled<X>>);
    return v;
  } else if constexpr (std::same_as<A, Part> && !is_dynamic<A>) {  // slice<A, Part>(x, begin)
    (void)sizeof(slice_of_a_static_axis_needs_an_axis_for_the_part<A, detail::Spelled<X>>);
    return v;
  } else if constexpr (!std::same_as<A, Part> && contains<Part, Shape>) {
    (void)sizeof(slice_part_already_in_tensor<Part, detail::Spelled<X>>);
    return v;
  } else {
    constexpr std::size_t d = index_in<A, Shape>;
    const std::size_t extent = v.extents[d];
    if (step == 0) throw Error("slice: step 0 on axis " + axis_name<A>());
    if (begin > extent) detail::index_outside("slice", axis_name<A>(), begin, extent);
    if (end == dynamic) end = extent;
    std::size_t length = Part::extent;
    if constexpr (is_dynamic<Part>) {
      if (end < begin)
        throw Error("slice: begin " + std::to_string(begin) + ", end " + std::to_string(end) + " on axis " +
                    axis_name<A>());
      length = end == begin ? 0 : (end - begin - 1) / step + 1;
    }
    const std::size_t most = begin == extent ? 0 : (extent - begin - 1) / step + 1;
    if (length > most) {  // a last position that size_t cannot hold is told as the largest it can
      const std::size_t largest = static_cast<std::size_t>(-1);
      const bool fits = length == 1 || step <= (largest - begin) / (length - 1);
      detail::index_outside("slice", axis_name<A>(), fits ? begin + (length - 1) * step : largest, extent);
    }
    using Out = detail::VarOver<typename V::Scalar, Replaced<Shape, A, Part>>;
    Out out = detail::view_of<Out>(v, begin * v.strides[d]);
    out.extents = v.extents;
    out.strides = v.strides;
    out.extents[d] = length;
    out.strides[d] *= step;
    return out;
  }
}

/// One gate's part of a block of gates: `gate<Forget>(z)` of Batch x Gates<H, Forget, ...> is
/// Batch x H.
template <class Name, class T, IsAxis... As>
auto gate(const Var<T, As...>& z) {
  using Block = typename decltype((std::type_identity<As>{}, ...))::type;
  if constexpr (!is_gates<Block>) {
    (void)sizeof(gate_is_not_one_of_the_tensors_gates<Name, Tensor<As...>>);
    return z;
  } else {
    constexpr std::size_t i = detail::gate_index<Name>(static_cast<Block*>(nullptr));
    constexpr std::size_t gates = detail::gate_count(static_cast<Block*>(nullptr));
    if constexpr (i == gates) {
      (void)sizeof(gate_is_not_one_of_the_tensors_gates<Name, Tensor<As...>>);
      return z;
    } else {
      if (z.extents.back() % gates != 0)
        throw Error("gate: axis " + axis_name<Block>() + " is " + std::to_string(z.extents.back()) + " long, not " +
                    std::to_string(gates) + " gates of one length");
      const std::size_t each = z.extents.back() / gates;
      using Out = detail::VarOver<T, Replaced<Axes<As...>, Block, typename Block::Each>>;
      Out out = detail::view_of<Out>(z, i * each * z.strides.back());
      out.extents = z.extents;
      out.strides = z.strides;
      out.extents.back() = each;
      return out;
    }
  }
}
template <class Name, class T, IsAxis... As>
auto gate(const Parameter<T, As...>& z) {
  return gate<Name>(z.var());
}
template <class Name, class T, IsAxis... As, class... Terms>
auto gate(const detail::LinearSum<T, Axes<As...>, Terms...>& z) {
  return gate<Name>(detail::as_var(z));
}

/// The same tensor with axis From called To. Both are as long, or dynamic.
template <IsAxis From, IsAxis To, TensorLike X>
auto rename(const X& x) {
  const auto v = detail::as_var(x);
  using V = detail::VarOf<X>;
  using Shape = typename V::Shape;
  if constexpr (!contains<From, Shape>) {
    (void)sizeof(rename_axis_not_in_tensor<From, detail::Spelled<X>>);
    return v;
  } else if constexpr (!std::same_as<From, To> && contains<To, Shape>) {
    (void)sizeof(rename_axis_already_in_tensor<To, detail::Spelled<X>>);
    return v;
  } else if constexpr (!is_dynamic<From> && !is_dynamic<To> && From::extent != To::extent) {
    (void)sizeof(rename_needs_axes_of_the_same_extent<From, To>);
    return v;
  } else {
    using Out = detail::VarOver<typename V::Scalar, Replaced<Shape, From, To>>;
    Out out = detail::view_of<Out>(v, 0);
    out.extents = v.extents;
    out.strides = v.strides;
    out.parameter = v.parameter;
    const std::size_t extent = out.extents[index_in<From, Shape>];
    if (!is_dynamic<To> && extent != To::extent)
      detail::extents_differ("rename", axis_name<To>(), extent, To::extent);
    return out;
  }
}

/// The same axes in another order: `transpose<Hidden, Batch>(h)`.
template <IsAxis... Order, TensorLike X>
auto transpose(const X& x) {
  const auto v = detail::as_var(x);
  using V = detail::VarOf<X>;
  using Shape = typename V::Shape;
  if constexpr (sizeof...(Order) != Shape::rank || !is_subset<Shape, Axes<Order...>>) {
    (void)sizeof(transpose_needs_the_same_axes_in_another_order<Tensor<Order...>, detail::Spelled<X>>);
    return v;
  } else {
    using Out = Var<typename V::Scalar, Order...>;
    Out out = detail::view_of<Out>(v, 0);
    out.extents = {v.extents[index_in<Order, Shape>]...};
    out.strides = {v.strides[index_in<Order, Shape>]...};
    out.parameter = v.parameter;
    return out;
  }
}

}  // namespace hindsight
