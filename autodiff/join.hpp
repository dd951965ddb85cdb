// Putting tensors together: along an axis they have, along axes side by side, or along a new axis.
#pragma once

#include <span>

#include "autodiff/views.hpp"

namespace hindsight {

/// Axes side by side: as long as all of them together.
template <IsAxis... As>
struct Concat : Axis<(is_dynamic<As> || ...) ? dynamic : (As::extent + ...)> {};

template <class, class>
struct concatenate_needs_the_same_other_axes;
template <class, class>
struct concatenate_axis_not_in_tensor;
template <class, class>
struct concatenate_along_one_axis_needs_it_dynamic;
template <class, class>
struct stack_axis_already_in_tensor;
template <class, class>
struct reverse_axis_not_in_tensor;

namespace detail {

/// Copies between a contiguous block of axes outer x n x inner and its place in a longer n.
template <class T>
struct Piece {
  std::size_t outer, n, inner;  // of the piece
  std::size_t begin, total;     // where it lies along the axis, and how long the axis is

  template <class Move>
  void each_row(Move move) const {
    for (std::size_t o = 0; o < outer; ++o) move(o * n * inner, (o * total + begin) * inner, n * inner);
  }
};

template <class T, IsAxis... As>
Piece<T> piece_of(const Var<T, As...>& v, std::size_t axis, std::size_t begin, std::size_t total) {
  Piece<T> piece{1, v.extents[axis], 1, begin, total};
  for (std::size_t d = 0; d < axis; ++d) piece.outer *= v.extents[d];
  for (std::size_t d = axis + 1; d < sizeof...(As); ++d) piece.inner *= v.extents[d];
  return piece;
}

/// Joins contiguous tensors along the axis at a place; Out's other extents are those of the first.
template <class Out, class First, class... Rest>
Out joined(const char* name, std::size_t axis, const First& first, const Rest&... rest) {
  auto extents = first.extents;
  extents[axis] = first.extents[axis] + (std::size_t{0} + ... + rest.extents[axis]);
  const std::size_t total = extents[axis];
  Out out = [&]<IsAxis... Os>(Axes<Os...>) {
    return result<typename Out::Scalar, Os...>(extents, first, rest...);
  }(typename Out::Shape{});
  using T = typename Out::Scalar;
  const auto each = [=](auto move) {
    std::size_t begin = 0;
    const auto one = [&](const auto& v) {
      const Piece<T> piece = piece_of(v, axis, begin, total);
      begin += v.extents[axis];
      piece.each_row([&](std::size_t from, std::size_t to, std::size_t n) { move(v, from, to, n); });
    };
    one(first);
    (one(rest), ...);
  };
  each([&](const auto& v, std::size_t from, std::size_t to, std::size_t n) {
    std::copy_n(v.value + from, n, out.value + to);
  });
  return record(
      name, out,
      [=] {
        each([&](const auto& v, std::size_t from, std::size_t to, std::size_t n) {
          if (v.gradient) kernels::add(n, out.gradient + to, v.gradient + from);
        });
      },
      first, rest...);
}

template <class First, class V, IsAxis From, IsAxis A>
void check_other_extents(const First& first, const V& v, const char* operation) {
  using Others = Without<typename First::Shape, Axes<From>>;
  [&]<IsAxis... Os>(Axes<Os...>) {
    ((first.template extent<Os>() == v.template extent<Os>()
          ? void()
          : extents_differ(operation, axis_name<Os>(), first.template extent<Os>(), v.template extent<Os>())),
     ...);
  }(Others{});
}

}  // namespace detail

namespace detail {

/// Joins variables, each along its own axis of the list A, Rest..., which becomes To.
template <IsAxis To, IsAxis A, IsAxis... Rest, class First, class... Others>
auto concatenated(const First& first, const Others&... others) {
  (check_other_extents<First, Others, A, Rest>(first, others, "concatenate"), ...);
  using Shape = typename First::Shape;
  using Out = VarOver<typename First::Scalar, Replaced<Shape, A, To>>;
  return joined<Out>("concatenate(%0, ..)", index_in<A, Shape>, contiguous(first), contiguous(others)...);
}

/// A, for each of something.
template <IsAxis A, class>
using Always = A;

}  // namespace detail

/// Side by side: `concatenate<In, Hidden>(x, h)` of Batch x In and Batch x Hidden is
/// Batch x Concat<In, Hidden>. Each tensor is joined along its axis of the list.
template <IsAxis A, IsAxis... Rest, TensorLike X, TensorLike... Xs>
  requires(sizeof...(Rest) > 0 && sizeof...(Rest) == sizeof...(Xs))
auto concatenate(const X& x, const Xs&... xs) {
  using Shape = typename detail::ExprOf<X>::Shape;
  if constexpr (!contains<A, Shape> || !(contains<Rest, typename detail::ExprOf<Xs>::Shape> && ...)) {
    (void)sizeof(
        concatenate_axis_not_in_tensor<Tensor<A, Rest...>, Tensor<detail::Spelled<X>, detail::Spelled<Xs>...>>);
    return x;
  } else if constexpr (!(std::same_as<Replaced<typename detail::ExprOf<Xs>::Shape, Rest, A>, Shape> && ...)) {
    (void)sizeof(concatenate_needs_the_same_other_axes<detail::Spelled<X>, Tensor<detail::Spelled<Xs>...>>);
    return x;
  } else {
    return detail::concatenated<Concat<A, Rest...>, A, Rest...>(detail::as_var(x), detail::as_var(xs)...);
  }
}

/// One after the other along a dynamic axis that all have: `concatenate<Source>(a, b)`.
template <IsAxis A, TensorLike X, TensorLike... Xs>
auto concatenate(const X& x, const Xs&... xs) {
  using Shape = typename detail::ExprOf<X>::Shape;
  if constexpr (!contains<A, Shape>) {
    (void)sizeof(concatenate_axis_not_in_tensor<A, detail::Spelled<X>>);
    return x;
  } else if constexpr (!is_dynamic<A>) {
    // It gets longer. Static axes are put side by side: concatenate<A, B>(a, b).
    (void)sizeof(concatenate_along_one_axis_needs_it_dynamic<A, detail::Spelled<X>>);
    return x;
  } else if constexpr (!(std::same_as<typename detail::ExprOf<Xs>::Shape, Shape> && ...)) {
    (void)sizeof(concatenate_needs_the_same_other_axes<detail::Spelled<X>, Tensor<detail::Spelled<Xs>...>>);
    return x;
  } else {
    return detail::concatenated<A, A, detail::Always<A, Xs>...>(detail::as_var(x), detail::as_var(xs)...);
  }
}

namespace detail {

/// The entry of a stack: parts that lie one after the other in `out`.
template <class Out, class Part>
struct StackEntry {
  const char* name;
  Out out;
  const Part* parts;
  std::size_t count;

  void forward() const {
    each_part([](const Part& part, std::size_t at, const Out& to) {
      std::copy_n(part.value, part.size(), to.value + at);
    });
  }
  void backward(std::uint64_t pass) const {
    each_part([pass](const Part& part, std::size_t at, const Out& from) {
      if (part.reach_whole(pass))
        std::copy_n(from.gradient + at, part.size(), part.gradient);
      else if (part.gradient)
        kernels::add(part.size(), from.gradient + at, part.gradient);
    });
  }
  void describe(StatementText& text) const {
    for (std::size_t i = 0; i < count; ++i) text.operand(parts[i].value, Part::Shape::spelled);
    text.stack(name, count);
    text.result(Out::Shape::spelled, out.extents, sizeof(typename Out::Scalar));
  }

 private:
  template <class Work>
  void each_part(Work work) const {
    for (std::size_t i = 0, at = 0; i < count; at += parts[i++].size()) work(parts[i], at, out);
  }
};

/// Tensors one after the other along their first axis, which becomes New, of this length; or without it, along New. The
/// other extents are those of `like`; there may be no parts.
template <IsAxis New, class T, IsAxis... As, class Part>
Var<T, New, As...> end_to_end(const char* name, std::span<const Part> parts, const Var<T, As...>& like,
                              std::size_t length) {
  if (!is_dynamic<New> && length != New::extent) extents_differ(name, axis_name<New>(), New::extent, length);
  Tape& tape = Tape::current();
  Part* kept = tape.allocate<Part>(parts.size());
  bool differentiated = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    compare_extents<Axes<As...>, typename Part::Shape>(like.extents, parts[i].extents, name);
    new (kept + i) Part(contiguous(parts[i]));
    differentiated = differentiated || kept[i].gradient;
  }
  Extents<sizeof...(As) + 1> extents;
  extents[0] = length;
  std::copy(like.extents.begin(), like.extents.end(), extents.begin() + 1);
  auto out = allocate<T, New, As...>(extents);
  if (tape.recording() && differentiated) out.gradient = tape.allocate<T>(out.size());
  const StackEntry<Var<T, New, As...>, Part> entry{name, out, kept, parts.size()};
  entry.forward();
  if (tape.recording()) out.node = tape.record(out.value, out.size(), out.gradient, {}, entry);
  return out;
}

/// Tensors of the extents of `like` along a new first axis; there may be none.
template <IsAxis New, class T, IsAxis... As>
Var<T, New, As...> stacked(std::span<const Var<T, As...>> parts, const Var<T, As...>& like) {
  return end_to_end<New>("stack", parts, like, parts.size());
}

}  // namespace detail

/// Tensors of one shape along a new first axis: `stack<Time>(hs)` of T times Batch x Hidden is
/// Time x Batch x Hidden. Throws Error if there is none, or their extents differ.
template <IsAxis New, class T, IsAxis... As>
auto stack(std::span<const Var<T, As...>> parts) {
  if constexpr (contains<New, Axes<As...>>) {
    (void)sizeof(stack_axis_already_in_tensor<New, Tensor<As...>>);
    return parts[0];
  } else {
    if (parts.empty()) throw Error("stack: nothing to stack along axis " + axis_name<New>());
    return detail::stacked<New>(parts, parts[0]);
  }
}
template <IsAxis New, class T, IsAxis... As>
auto stack(const std::vector<Var<T, As...>>& parts) {
  return stack<New>(std::span<const Var<T, As...>>(parts));
}

/// The positions of an axis in reverse order.
template <IsAxis A, TensorLike X>
auto reverse(const X& operand) {
  using V = detail::VarOf<X>;
  using Shape = typename V::Shape;
  if constexpr (!contains<A, Shape>) {
    (void)sizeof(reverse_axis_not_in_tensor<A, detail::Spelled<X>>);
    return operand;
  } else {
    const V x = detail::contiguous(detail::as_var(operand));
    const V y = detail::like(x);
    const auto p = detail::piece_of(x, index_in<A, Shape>, 0, 0);
    const auto each = [p](auto move) {
      for (std::size_t o = 0; o < p.outer; ++o)
        for (std::size_t i = 0; i < p.n; ++i)
          move((o * p.n + i) * p.inner, (o * p.n + p.n - 1 - i) * p.inner, p.inner);
    };
    each([&](std::size_t from, std::size_t to, std::size_t n) { std::copy_n(x.value + from, n, y.value + to); });
    return detail::record("reverse(%0)", y, [=] {
      each([&](std::size_t from, std::size_t to, std::size_t n) {
        kernels::add(n, y.gradient + to, x.gradient + from);
      });
    }, x);
  }
}

}  // namespace hindsight
