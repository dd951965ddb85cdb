// The leaves of an expression: variables, as written and as bound to a grid of elements.
//
// A statement runs over a grid: the axes of its result. A leaf that lacks an axis has stride 0 along
// it: that is broadcasting by name.
#pragma once

#include <cstdint>

#include "autodiff/kernels/simd.hpp"
#include "autodiff/parameter.hpp"
#include "autodiff/variable.hpp"

namespace hindsight {

namespace detail {

/// A position in a row: `offset` elements in, `count` of a vector's lanes in use.
struct Lanes {
  std::size_t offset;
  std::size_t count;
};

template <class T>
HWY_INLINE Vec<T> load(const T* p, Lanes at) {
  return simd::load_n(Simd<T>(), p + at.offset, at.count);
}
template <class T>
HWY_INLINE void store(Vec<T> v, T* p, Lanes at) {
  simd::store_n(v, Simd<T>(), p + at.offset, at.count);
}
template <class T>
using LaneMask = decltype(hn::FirstN(Simd<T>(), 0));

/// The elements a statement runs over: the innermost extent is one row, the outer ones count rows.
/// Neighbouring axes melt into one row where every operand lies contiguous across them.
template <std::size_t Rank>
struct Grid {
  Extents<Rank> extents{};

  std::size_t row_length() const { return Rank == 0 ? 1 : extents[Rank == 0 ? 0 : Rank - 1]; }
  std::size_t rows() const {
    std::size_t n = 1;
    for (std::size_t d = 0; d + 1 < Rank; ++d) n *= extents[d];
    return n;
  }
  void advance(Extents<Rank>& index) const {
    for (std::size_t d = Rank; d-- > 1;) {
      if (++index[d - 1] < extents[d - 1]) return;
      index[d - 1] = 0;
    }
  }
};

/// A leaf in the grid. `Spread`: it lacks the innermost axis, so one value serves a whole row.
template <class T, std::size_t Rank, bool Spread>
struct BoundLeaf {
  T* value;
  T* gradient;
  Node* node;
  Extents<Rank> strides;
  std::uint32_t version;
  AxisNames axes;
  bool whole;           // each element of its block stands at one place of the grid
  bool assigns = false;  // and this statement is the first to write to the block's gradient
  T* row_value = nullptr;
  T* row_gradient = nullptr;

  HWY_INLINE void seek(const Extents<Rank>& index, std::size_t) {
    std::size_t offset = 0;
    for (std::size_t d = 0; d + 1 < Rank; ++d) offset += index[d] * strides[d];
    row_value = value + offset;
    row_gradient = gradient ? gradient + offset : nullptr;
  }
  HWY_INLINE Vec<T> evaluate(Lanes at) const {
    if constexpr (Spread)
      return hn::Set(Simd<T>(), *row_value);
    else
      return load(row_value, at);
  }
  struct Values {
    Vec<T> value;
  };
  HWY_INLINE Values recompute(Lanes at) const { return {evaluate(at)}; }

  template <bool Masked>
  HWY_INLINE void reverse(const Values&, Vec<T> dy, LaneMask<T> active, Lanes at) const {
    if (!row_gradient) return;
    if constexpr (Masked) dy = hn::IfThenElseZero(active, dy);
    if constexpr (Spread)
      *row_gradient += simd::sum_of_lanes(Simd<T>(), dy);
    else
      store(assigns ? dy : hn::Add(load(row_gradient, at), dy), row_gradient, at);
  }

  /// Is called twice, for the leaves that are parts of blocks, which are then cleared, and for the whole ones: where a
  /// statement reads both a block and a part of it, both add.
  void reach(std::uint64_t pass, bool of_whole) {
    if (of_whole != whole) return;
    if (node) node->check_unedited(version);
    if (gradient && whole)
      assigns = node->reach_whole(pass);
    else if (gradient)
      node->reach(pass);
  }
  bool differentiated() const { return gradient != nullptr; }
  bool melts(std::size_t outer, std::size_t, std::size_t inner_extent) const {
    return strides[outer] == (Spread ? 0 : inner_extent);
  }
  void keep(std::size_t, std::size_t, T*) {}
  void describe(StatementText& text) const { text.operand(value, axes); }
};

/// A strided block of elements, copied so that its rows are contiguous. Axes of stride 0 stay so.
template <class T, std::size_t Rank>
struct RowCopy {
  const T* from;
  T *from_gradient, *to_gradient;
  Node* node;
  std::uint32_t version;  // of the parameter when it was read
  Extents<Rank> extents, from_strides, to_strides;

  template <class Move>
  void each(Move move) const {
    Grid<Rank> grid{extents};
    Extents<Rank> index{};
    for (std::size_t r = grid.rows(); r-- > 0; grid.advance(index)) {
      std::size_t a = 0, b = 0;
      for (std::size_t d = 0; d + 1 < Rank; ++d) a += index[d] * from_strides[d], b += index[d] * to_strides[d];
      for (std::size_t j = 0; j < grid.row_length(); ++j) move(a + j * from_strides[Rank - 1], b + j);
    }
  }
  void backward(std::uint64_t pass) const {
    node->check_unedited(version);
    node->reach(pass);
    each([this](std::size_t a, std::size_t b) { from_gradient[a] += to_gradient[b]; });
  }
  void describe(StatementText& text) const {
    text.operand(from);
    text.operation("copy(%0)", 1);
    text.result({}, extents, sizeof(T));
  }
};

template <class T, std::size_t Rank>
void make_rows_contiguous(BoundLeaf<T, Rank, false>& leaf, Extents<Rank> extents) {
  for (std::size_t d = 0; d < Rank; ++d)
    if (leaf.strides[d] == 0) extents[d] = 1;
  Extents<Rank> strides = row_major(extents);
  for (std::size_t d = 0; d < Rank; ++d)
    if (leaf.strides[d] == 0) strides[d] = 0;
  Tape& tape = Tape::current();
  const std::size_t size = count(extents);
  T* value = tape.allocate<T>(size);
  T* gradient = leaf.gradient && tape.recording() ? tape.allocate<T>(size) : nullptr;
  const RowCopy<T, Rank> copy{leaf.value, leaf.gradient, gradient, leaf.node, leaf.version,
                               extents, leaf.strides, strides};
  copy.each([&](std::size_t a, std::size_t b) { value[b] = leaf.value[a]; });
  Node* node = tape.recording() ? tape.record(value, size, gradient, {}, copy) : nullptr;
  leaf.value = value;
  leaf.gradient = gradient;
  leaf.node = node;
  leaf.version = 0;
  leaf.whole = false;
  leaf.strides = strides;
}

/// A variable as it stands in an expression.
template <class T, IsAxis... As>
struct Leaf {
  Var<T, As...> var;

  /// Its pointers and strides in a grid of axes Out.
  template <IsAxis... Out>
  auto bind(Axes<Out...>, const Extents<sizeof...(Out)>& extents) const {
    constexpr std::size_t rank = sizeof...(Out);
    constexpr bool spread = !(false || ... || is_last<Out, Out...>);
    constexpr bool same = std::same_as<Axes<As...>, Axes<Out...>>;
    BoundLeaf<T, rank, spread> leaf{var.value, var.gradient, var.node, {stride_of<Out>()...}, var.version,
                                     Axes<As...>::spelled,
                                     var.gradient && !spread && same && var.is_whole()};
    if constexpr (!spread)
      if (leaf.strides[rank - 1] != 1 && extents[rank - 1] > 1) make_rows_contiguous(leaf, extents);
    return leaf;
  }
  void check() const { var.check(); }

 private:
  /// A is the innermost axis of the grid, and the leaf has it.
  template <IsAxis A, IsAxis... Out>
  static constexpr bool is_last = index_in<A, Axes<Out...>> + 1 == sizeof...(Out) && contains<A, Axes<As...>>;

  template <IsAxis A>
  std::size_t stride_of() const {
    if constexpr (contains<A, Axes<As...>>)
      return var.strides[index_in<A, Axes<As...>>];
    else
      return 0;
  }
};

}  // namespace detail
}  // namespace hindsight
