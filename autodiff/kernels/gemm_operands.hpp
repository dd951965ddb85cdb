// How a matrix product reads its operands: in place, or packed first into memory that is kept from
// call to call. Which of the two is chosen by measurement, for speed alone.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "autodiff/kernels/gemm.hpp"
#include "autodiff/kernels/gemm_micro.hpp"
#include "autodiff/kernels/pack.hpp"

namespace hindsight::kernels {

/// Memory that is kept from call to call and only grows, aligned to the cache line.
template <class T>
class Scratch {
 public:
  /// Room for `count` elements; what was reserved before is lost.
  T* reserve(std::size_t count) {
    constexpr std::size_t line = 64;
    if (memory_.size() < count + line / sizeof(T)) memory_.resize(count + line / sizeof(T));
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (line - address % line) % line / sizeof(T);
  }

 private:
  std::vector<T> memory_;
};

/// `total` things in the fewest parts of at most `most` each, as even as possible: 32 rows are
/// tiles of 11, 11 and 10, not of 12, 12 and 8.
struct EvenSplit {
  EvenSplit(std::size_t total, std::size_t most) : parts(total > 0), size(total), larger(0) {
    if (total <= most) return;  // without a division: a short product would feel it
    parts = (total + most - 1) / most;
    size = total / parts;
    larger = total % parts;
  }

  std::size_t begin(std::size_t i) const { return i * size + std::min(i, larger); }
  std::size_t length(std::size_t i) const { return size + (i < larger ? 1 : 0); }

  std::size_t parts, size, larger;
};

template <class T>
constexpr std::size_t round_to_vector(std::size_t n) {
  return (n + lanes<T>() - 1) / lanes<T>() * lanes<T>();
}

template <class T>
MatrixView<T> transposed(MatrixView<T> x) {
  return {x.data, x.col_stride, x.row_stride};
}

/// `x` from element (r, c) on.
template <class T>
MatrixView<T> from(MatrixView<T> x, std::size_t r, std::size_t c) {
  return {x.data + r * x.row_stride + c * x.col_stride, x.row_stride, x.col_stride};
}

/// Packs A (m x depth) tile after tile, each of `block` values of k, of which these are from `first` on.
template <class T>
void pack_tiles(std::size_t m, std::size_t depth, MatrixView<T> a, std::size_t block, std::size_t first, T* packed) {
  const EvenSplit tiles(m, max_tile_rows);
  for (std::size_t i = 0; i < tiles.parts; ++i) {
    const std::size_t row = tiles.begin(i), rows = tiles.length(i);
    pack_strip<T>(depth, rows, {from(a, row, 0).data, a.col_stride, a.row_stride, rows},
                  packed + row * block + first * rows);
  }
}

/// Packs B (depth x n) panel after panel.
template <class T>
void pack_panels(std::size_t depth, std::size_t n, MatrixView<T> b, T* packed) {
  for (std::size_t j = 0; j < n; j += panel_columns<T>) {
    const std::size_t count = std::min(n - j, panel_columns<T>);
    pack_strip<T>(depth, round_to_vector<T>(count),
                  {from(b, 0, j).data, b.row_stride, b.col_stride, count}, packed + j * depth);
  }
}

/// Lines of a matrix that lie about a memory page apart or farther compete for the same sets of the
/// cache, which makes packing worth its price where they are read often.
template <class T>
constexpr bool far_apart(std::size_t stride) {
  return stride >= 3072 / sizeof(T);
}

/// Whether A (m rows) is packed: where neither its rows nor its k are adjacent, or where it pays.
template <class T>
bool packs_left(std::size_t m, std::size_t n, MatrixView<T> a) {
  if (m > 1 && a.row_stride != 1 && a.col_stride != 1) return true;
  return m > 64 && n >= 4 * panel_columns<T> && far_apart<T>(std::max(a.row_stride, a.col_stride));
}

/// The same for a weight gradient, whose A lies transposed: tiles of short pieces of lines, all read once for each
/// panel of B.
template <class T>
bool packs_columns(std::size_t m, std::size_t n) {
  return m > 64 && n >= 8 * panel_columns<T>;
}

/// How a kernel reads A (m rows).
template <class T>
Adjacent adjacent_in(std::size_t m, bool packs, MatrixView<T> a) {
  return packs || a.row_stride == 1 || m == 1 ? Adjacent::rows : Adjacent::k;
}

/// Lets the slab read A (m x slab.depth) from where it lies.
template <class T>
void read_left(std::size_t m, MatrixView<T> a, Slab<T>& slab) {
  slab.a = a.data;
  slab.a_row = a.row_stride;
  slab.a_step = adjacent_in(m, false, a) == Adjacent::rows ? a.col_stride : a.row_stride;
}

/// Packs A (m x slab.depth) behind the `first` values of k that `scratch`, for `block` of them, holds already.
template <class T>
void pack_left(std::size_t m, MatrixView<T> a, std::size_t block, std::size_t first, T* scratch, Slab<T>& slab) {
  pack_tiles(m, slab.depth, a, block, first, scratch);
  slab.a = scratch;
  slab.a_row = block;
  slab.a_first = first;
  slab.a_packed = true;
}

/// Rows of a right-hand side B as a product gets them: as they lie in memory, to be read there or packed when the turn
/// of their columns comes; or out of `panels` that were packed before, of panel_rows rows each, from row `first` on.
template <class T>
struct RightRows {
  MatrixView<T> view{};
  bool packs = false;
  const T* panels = nullptr;
  std::size_t panel_rows = 0, first = 0;

  RightRows from_row(std::size_t row) const {
    RightRows later = *this;
    later.view.data += view.data ? row * view.row_stride : 0;
    later.first += row;
    return later;
  }
};

/// Whether B is packed for a product with m rows.
template <class T>
bool packs_right(std::size_t m, MatrixView<T> b) {
  return b.col_stride != 1 || (m > 256 && far_apart<T>(b.row_stride));
}

/// Lets the slab read its rows of B, the columns j .. j + columns - 1: whole panels, or one that is narrower. What must
/// be packed for it goes to `scratch`, of round_to_vector(columns) elements a row.
template <class T>
void read_right(const RightRows<T>& b, std::size_t j, std::size_t columns, T* scratch, Slab<T>& slab) {
  slab.b_row = std::min(round_to_vector<T>(columns), panel_columns<T>);
  if (b.panels) {
    slab.b = b.panels + j * b.panel_rows + b.first * slab.b_row;
    slab.b_panel = b.panel_rows * panel_columns<T>;
  } else if (!b.packs && columns % lanes<T>() == 0) {
    slab.b = b.view.data + j;
    slab.b_row = b.view.row_stride;
    slab.b_panel = panel_columns<T>;
  } else {
    pack_panels(slab.depth, columns, from(b.view, 0, j), scratch);
    slab.b = scratch;
    slab.b_panel = slab.depth * panel_columns<T>;
  }
}

}  // namespace hindsight::kernels
