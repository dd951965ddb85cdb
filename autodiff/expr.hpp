// Lazy elementwise arithmetic.
//
// `sigmoid(f) * c + sigmoid(i) * tanh(g)` is a small object that holds its leaves by value, so that
// `auto` never dangles. Each node knows two things: its value from its operands' values, and its
// operands' adjoints from its own. Giving the expression a name as a Var (statement.hpp) runs the
// first over all elements in one loop, and the second in another.
//
// Nodes appear twice: as written, holding variables, and bound, holding pointers into one grid of
// elements. A bound node works on one vector of lanes at position `at` of the current row:
//
//     evaluate(at)                     the forward value; what is dear to compute is stored
//     recompute(at)                    all values again, in registers, from what was stored
//     reverse<Masked>(v, dy, m, at)    adjoints to the leaves; only lanes in m when Masked
#pragma once

#include <tuple>
#include <utility>

#include "autodiff/leaf.hpp"

namespace hindsight {
namespace detail {

/// A number in an expression.
template <class T>
struct Number {
  T number;

  template <class Out, class Ext>
  Number bind(Out, const Ext&) const {
    return *this;
  }
  void check() const {}

  struct Values {
    Vec<T> value;
  };
  HWY_INLINE Vec<T> evaluate(Lanes) const { return hn::Set(Simd<T>(), number); }
  HWY_INLINE Values recompute(Lanes at) const { return {evaluate(at)}; }
  template <bool Masked>
  HWY_INLINE void reverse(const Values&, Vec<T>, LaneMask<T>, Lanes) const {}
  template <class Index>
  HWY_INLINE void seek(const Index&, std::size_t) {}
  void reach(std::uint64_t, bool) {}
  bool differentiated() const { return false; }
  bool melts(std::size_t, std::size_t, std::size_t) const { return true; }
  void keep(std::size_t, std::size_t, T*) {}
  void describe(StatementText& text) const { text.number(static_cast<double>(number)); }
};

template <class T, class Op, class Each, class... Xs>
struct ApplyTo;

/// An operation on its operands, bound to a grid. See operations.hpp for what an Op has.
template <class T, class Op, class... Xs>
using Apply = ApplyTo<T, Op, std::index_sequence_for<Xs...>, Xs...>;

template <class T, class Op, std::size_t... I, class... Xs>
struct ApplyTo<T, Op, std::index_sequence<I...>, Xs...> {
  Op op;
  std::tuple<Xs...> xs;
  T* stored = nullptr;      // y of a dear operation, for the backward pass
  T* row_stored = nullptr;  // the same, in the current row
  std::size_t row_length = 0;

  struct Values {
    Vec<T> value;
    std::tuple<typename Xs::Values...> xs;
  };

  HWY_INLINE Vec<T> evaluate(Lanes at) const {
    const Vec<T> y = op.forward(Simd<T>(), x<I>().evaluate(at)...);
    if constexpr (Op::dear)
      if (row_stored) store(y, row_stored, at);
    return y;
  }

  HWY_INLINE Values recompute(Lanes at) const {
    const std::tuple<typename Xs::Values...> operands{x<I>().recompute(at)...};
    if constexpr (Op::dear)
      return {load(row_stored, at), operands};
    else
      return {op.forward(Simd<T>(), std::get<I>(operands).value...), operands};
  }

  template <bool Masked>
  HWY_INLINE void reverse(const Values& v, Vec<T> dy, LaneMask<T> active, Lanes at) const {
    if constexpr (Op::selects) {
      // An operand gets dy in the lanes that chose it, and nothing, not even 0 * inf, elsewhere.
      const auto chosen = op.chosen(Simd<T>(), active, std::get<I>(v.xs).value...);
      ((Op::passes_to(I) ? x<I>().template reverse<true>(std::get<I>(v.xs), dy, chosen[I], at) : void()), ...);
    } else if constexpr ((Op::passes_to(I) && ...)) {
      const auto adjoints = op.backward(Simd<T>(), dy, v.value, std::get<I>(v.xs).value...);
      (x<I>().template reverse<Masked>(std::get<I>(v.xs), adjoints[I], active, at), ...);
    }
  }

  template <class Index>
  HWY_INLINE void seek(const Index& index, std::size_t row) {
    if constexpr (Op::dear) row_stored = stored ? stored + row * row_length : nullptr;
    (std::get<I>(xs).seek(index, row), ...);
  }

  /// Gives dear operations the room to store their values; the outermost stores in the result.
  void keep(std::size_t size, std::size_t length, T* result) {
    if constexpr (Op::dear) {
      stored = result ? result : Tape::current().allocate<T>(size);
      row_length = length;
    }
    (std::get<I>(xs).keep(size, length, nullptr), ...);
  }

  void reach(std::uint64_t pass, bool whole) {
    // `reverse` goes to the same operands in the same order: who is told to assign does so first.
    static_assert(Op::selects || (Op::passes_to(I) && ...) || !(Op::passes_to(I) || ...));
    ((Op::passes_to(I) ? std::get<I>(xs).reach(pass, whole) : void()), ...);
  }
  bool differentiated() const { return ((Op::passes_to(I) && x<I>().differentiated()) || ...); }
  bool melts(std::size_t outer, std::size_t inner, std::size_t inner_extent) const {
    return (x<I>().melts(outer, inner, inner_extent) && ...);
  }
  void describe(StatementText& text) const {
    (x<I>().describe(text), ...);
    text.operation(op.text(), sizeof...(Xs), Op::precedence, Op::associative);
  }

 private:
  template <std::size_t K>
  HWY_INLINE const auto& x() const {
    return std::get<K>(xs);
  }
};

/// An operation as written: what to apply, and to which operands.
template <class T, class Op, class... Xs>
struct Call {
  Op op;
  std::tuple<Xs...> xs;

  template <class Out, class Ext>
  auto bind(Out out, const Ext& extents) const {
    return std::apply([&](const auto&... x) { return bound(x.bind(out, extents)...); }, xs);
  }
  /// Refuses leaves of another recording.
  void check() const {
    std::apply([](const auto&... x) { (x.check(), ...); }, xs);
  }

 private:
  template <class... Bound>
  auto bound(const Bound&... x) const {
    return Apply<T, Op, Bound...>{op, {x...}};
  }
};

}  // namespace detail

/// An expression that has a value at every element of the grid As. Lazy: it computes nothing until
/// it is given a name as a Var.
template <class Node_, class T, IsAxis... As>
struct Expr {
  using Scalar = T;
  using Shape = Axes<As...>;
  Node_ node;
  Extents<sizeof...(As)> extents;
};

template <class E>
inline constexpr bool is_expr = false;
template <class N, class T, IsAxis... As>
inline constexpr bool is_expr<Expr<N, T, As...>> = true;

}  // namespace hindsight
