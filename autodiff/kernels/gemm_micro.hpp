// The micro-kernel of the matrix product: a tile of C stays in registers while k runs.
//
//   C[r, j] = fma(A[r, k], B[k, j], C[r, j])   for k = 0, 1, 2, ...
//
// Every element of C is this one chain, begun from 0, from a bias or from the C that was there. No choice of
// tile, block or packing changes its order, so none changes a bit of the result.
#pragma once

#include <hwy/cache_control.h>

#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "autodiff/kernels/simd.hpp"

namespace hindsight::kernels {

#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3) || HWY_ARCH_ARM_A64
inline constexpr std::size_t vector_registers = 32;
#else
inline constexpr std::size_t vector_registers = 16;
#endif

/// Whether a tile of C, a row of B (read from memory where only one row uses it) and one element of
/// A fit into the registers.
constexpr bool fits_registers(std::size_t rows, std::size_t vectors) {
  return rows * vectors + (rows > 1 ? vectors : 0) + 1 <= vector_registers;
}

/// Rows of the tallest tile; it is one panel of B, two vectors, wide.
inline constexpr std::size_t max_tile_rows = vector_registers == 32 ? 12 : 6;
static_assert(fits_registers(max_tile_rows, 2));

/// Vectors of the widest tile, four panels of B: for a few rows, which need more columns to hide
/// the latency of the multiply-add.
inline constexpr std::size_t max_tile_vectors = 8;

/// Columns of a panel of B.
template <class T>
inline constexpr std::size_t panel_columns = 2 * lanes<T>();

/// Which elements of A are neighbours in memory as a kernel reads it: the rows of one k (A packed,
/// or given transposed), or the k of one row.
enum class Adjacent { rows, k };

/// `depth` values of k of both operands, as the kernels read them.
///
/// A: a tile that begins with row i is at a + i * a_row. Its step is from one k to the next where rows are adjacent,
/// from one row to the next where k are. Packed tiles lie one after the other: there the step is the number of the
/// tile's rows, and `a_first` values of k come before.
///
/// B: some panels that lie b_panel apart, their rows b_row.
template <class T>
struct Slab {
  std::size_t depth = 0;
  const T* a = nullptr;
  std::size_t a_row = 0, a_step = 0, a_first = 0;
  bool a_packed = false;
  const T* b = nullptr;
  std::size_t b_row = 0, b_panel = 0;
};

/// The tile of C that begins at row `row` and panel `panel`. Of its columns `columns` exist: the last vector may be
/// partial. The sum runs over the slabs in order.
template <class T>
struct Tile {
  std::span<const Slab<T>> slabs;
  std::size_t row, panel;
  T* c;
  std::size_t c_row;
  std::size_t columns;
  const T* start;  // what the tile begins from, its rows start_row apart; null: zeros
  std::size_t start_row;
};

/// Rows of B that are asked for ahead of their use: a panel comes from the second-level cache.
inline constexpr std::size_t rows_ahead = 8;

/// Whether vector v of a row is the first in its cache line.
template <class T>
constexpr bool begins_line(std::size_t v) {
  return v * lanes<T>() * sizeof(T) % 64 == 0;
}

/// V counts the vectors of a row of the tile; I counts all of its vectors, row by row.
template <class T, Adjacent adjacent, std::size_t... V, std::size_t... I>
HWY_INLINE void multiply_tile(const Tile<T>& tile, std::index_sequence<V...>,
                              std::index_sequence<I...>) {
  constexpr Simd<T> d;
  constexpr std::size_t vectors = sizeof...(V), rows = sizeof...(I) / vectors, last = vectors - 1;
  const std::size_t c_row = tile.c_row, rest = tile.columns - last * lanes<T>();
  const bool whole = rest == lanes<T>();
  T* const c = tile.c;

  Vec<T> sum[] = {(static_cast<void>(I), hn::Zero(d))...};
  if (const T* const start = tile.start) {
    const std::size_t start_row = tile.start_row;
    ((sum[I] = whole || I % vectors != last
                   ? hn::LoadU(d, start + I / vectors * start_row + I % vectors * lanes<T>())
                   : simd::load_n(d, start + I / vectors * start_row + last * lanes<T>(), rest)),
     ...);
  }
  for (const Slab<T>& slab : tile.slabs) {
    const std::size_t step = slab.a_packed ? rows : slab.a_step;
    const std::size_t a_row = adjacent == Adjacent::rows ? 1 : step;
    const std::size_t a_k = adjacent == Adjacent::rows ? step : 1;
    const std::size_t b_panel = slab.b_panel, b_row = slab.b_row;
    const T* a = slab.a + tile.row * slab.a_row + slab.a_first * rows;
    const T* b = slab.b + tile.panel * b_panel;
    for (std::size_t k = slab.depth; k > 0; --k) {
      ((begins_line<T>(V) ? hwy::Prefetch(b + rows_ahead * b_row + V / 2 * b_panel + V % 2 * lanes<T>()) : void()),
       ...);
      const Vec<T> right[] = {hn::LoadU(d, b + V / 2 * b_panel + V % 2 * lanes<T>())...};
      ((sum[I] = hn::MulAdd(hn::Set(d, a[I / vectors * a_row]), right[I % vectors], sum[I])), ...);
      a += a_k;
      b += b_row;
    }
  }
  if (whole) {
    (hn::StoreU(sum[I], d, c + I / vectors * c_row + I % vectors * lanes<T>()), ...);
  } else {
    (simd::store_n(sum[I], d, c + I / vectors * c_row + I % vectors * lanes<T>(),
                   I % vectors == last ? rest : lanes<T>()),
     ...);
  }
}

template <class T, Adjacent adjacent, std::size_t Rows, std::size_t Vectors>
void multiply_tile(const Tile<T>& tile) {
  multiply_tile<T, adjacent>(tile, std::make_index_sequence<Vectors>(),
                             std::make_index_sequence<Rows * Vectors>());
}

template <class T>
using TileKernel = void (*)(const Tile<T>&);

template <class T, Adjacent adjacent, std::size_t Rows, std::size_t Vectors>
constexpr TileKernel<T> tile_kernel_or_null() {
  if constexpr (fits_registers(Rows, Vectors)) return multiply_tile<T, adjacent, Rows, Vectors>;
  return nullptr;
}

template <class T, Adjacent adjacent, std::size_t... R>
constexpr auto make_tile_kernels(std::index_sequence<R...>) {
  return std::array{std::array{tile_kernel_or_null<T, adjacent, R + 1, 1>(),
                               tile_kernel_or_null<T, adjacent, R + 1, 2>(),
                               tile_kernel_or_null<T, adjacent, R + 1, 4>(),
                               tile_kernel_or_null<T, adjacent, R + 1, max_tile_vectors>()}...};
}

/// The kernel for a tile of 1 .. max_tile_rows rows and 1, 2, 4 or 8 vectors that fits_registers.
template <class T>
TileKernel<T> tile_kernel(Adjacent adjacent, std::size_t rows, std::size_t vectors) {
  using Rows = std::make_index_sequence<max_tile_rows>;
  static constexpr auto by_rows = make_tile_kernels<T, Adjacent::rows>(Rows());
  static constexpr auto by_k = make_tile_kernels<T, Adjacent::k>(Rows());
  const auto& kernels = adjacent == Adjacent::rows ? by_rows : by_k;
  return kernels[rows - 1][static_cast<std::size_t>(std::countr_zero(vectors))];
}

}  // namespace hindsight::kernels
