// A named expression is one entry on the tape: one loop forwards, and one backwards that the
// compiler derives from the same expression by walking it in reverse.
#pragma once

#include "autodiff/expr.hpp"

namespace hindsight {
namespace detail {

/// A bound expression, where its result lies, and the grid they share.
template <class T, std::size_t Rank, class Bound, class Shape>
struct FusedStatement {
  T* value;
  T* gradient;
  Grid<Rank> grid;
  Bound bound;
  Extents<Rank> extents;

  void forward() const {
    each_row(bound, value, [](auto& node, T* row, std::size_t length) {
      each_vector(length, [&](Lanes at, auto) { store(node.evaluate(at), row, at); });
    });
  }

  void backward(std::uint64_t pass) const {
    Bound reached = bound;
    reached.reach(pass, false);
    reached.reach(pass, true);
    each_row(reached, gradient, [](auto& node, const T* row, std::size_t length) {
      each_vector(length, [&](Lanes at, auto partial) {
        const auto values = node.recompute(at);
        const auto active = hn::FirstN(Simd<T>(), at.count);
        node.template reverse<partial.value>(values, load(row, at), active, at);
      });
    });
  }

  void describe(StatementText& text) const {
    bound.describe(text);
    text.result(Shape::spelled, extents, sizeof(T));
  }

 private:
  /// Runs work(node at the row, the row's elements, its length) over all rows, in order.
  template <class Work>
  HWY_INLINE void each_row(Bound node, T* elements, Work work) const {
    Extents<Rank> index{};
    const std::size_t length = grid.row_length();
    const std::size_t rows = length == 0 ? 0 : grid.rows();
    for (std::size_t row = 0; row < rows; ++row, grid.advance(index)) {
      node.seek(index, row);
      work(node, elements + row * length, length);
    }
  }

  /// Runs work(lanes, is partial) over a row: full vectors, then what is left.
  template <class Work>
  static HWY_INLINE void each_vector(std::size_t length, Work work) {
    constexpr std::size_t full = lanes<T>();
    std::size_t i = 0;
    for (; i + full <= length; i += full) work(Lanes{i, full}, std::false_type{});
    if (i < length) work(Lanes{i, length - i}, std::true_type{});
  }
};

/// The grid of a statement: the innermost axis and as many outer ones as lie contiguous with it.
template <std::size_t Rank, class Bound>
Grid<Rank> grid_of(const Extents<Rank>& extents, const Bound& bound) {
  Grid<Rank> grid{extents};
  for (std::size_t d = Rank; d-- > 1;) {
    if (grid.extents[d - 1] != 1 && !bound.melts(d - 1, Rank - 1, grid.extents[Rank - 1])) break;
    grid.extents[Rank - 1] *= grid.extents[d - 1];
    grid.extents[d - 1] = 1;
  }
  return grid;
}

}  // namespace detail

template <class T, IsAxis... As>
template <class Node_>
Var<T, As...>::Var(const Expr<Node_, T, As...>& expression, const char* file, int line) {
  expression.node.check();
  *this = detail::allocate<T, As...>(expression.extents);
  Tape& tape = Tape::current();
  auto bound = expression.node.bind(Axes<As...>{}, extents);
  const auto grid = detail::grid_of(extents, bound);
  if (tape.recording() && bound.differentiated()) {
    bound.keep(size(), grid.row_length(), value);
    gradient = tape.allocate<T>(size());
  }
  const detail::FusedStatement<T, rank, decltype(bound), Axes<As...>> statement{value, gradient, grid, bound, extents};
  statement.forward();
  if (tape.recording()) node = tape.record(value, size(), gradient, {file, line}, statement);
}

template <class T, IsAxis... As>
template <class Other>
  requires(!std::same_as<typename Other::Shape, Axes<As...>> || !std::same_as<typename Other::Scalar, T>)
Var<T, As...>::Var(const Other&) {
  (void)sizeof(assignment_needs_the_same_axes<Var, detail::VarOver<typename Other::Scalar, typename Other::Shape>>);
}

}  // namespace hindsight
