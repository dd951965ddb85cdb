// Blocking: which parts of A, B and C the micro-kernel works on, one after the other.
#include "autodiff/kernels/gemm.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <span>
#include <vector>

#include "autodiff/kernels/gemm_micro.hpp"
#include "autodiff/kernels/gemm_operands.hpp"
#include "autodiff/kernels/pack.hpp"

namespace hindsight::kernels {
namespace {

// Sizes for a second-level cache of 1 MB, found by measurement; larger caches do not mind.

/// The k of one pass over C: so many that C is read and written seldom, so few that a panel of B
/// and the tiles of A that pass by it stay in the cache.
template <class T>
constexpr std::size_t k_block = 2048 / sizeof(T);

/// The same for a weight gradient, whose A and B come from all over the tape.
template <class T>
constexpr std::size_t outer_k_block = k_block<T> / 2;

/// Elements of A in the tiles that pass by a panel of B before the next panel is taken.
template <class T>
constexpr std::size_t pass_size = (1 << 19) / sizeof(T);

/// Elements of a C that the cache does not hold: its tiles are asked for ahead of their use.
template <class T>
constexpr std::size_t large_c = (1 << 20) / sizeof(T);

/// Memory of the calling thread, kept from call to call: a steady training step allocates nothing.
template <class T>
struct Workspace {
  Scratch<T> left, right, column;
  std::vector<Slab<T>> slabs;
};

template <class T>
Workspace<T>& workspace() {
  thread_local Workspace<T> memory;
  return memory;
}

/// Asks for a tile of C.
template <class T>
void prefetch(const T* c, std::size_t ldc, std::size_t rows, std::size_t columns) {
  constexpr std::size_t line = 64 / sizeof(T);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; j += line) hwy::Prefetch(c + i * ldc + j);
  }
}

/// Vectors that the next tiles are wide, with `columns` left: a panel, but one tile of a few rows
/// takes as many panels at once as the registers hold.
template <class T>
std::size_t tile_vectors(std::size_t m, std::size_t columns) {
  if (columns <= lanes<T>()) return 1;
  std::size_t vectors = m <= max_tile_rows ? max_tile_vectors : 2;
  while (vectors > 2 && (!fits_registers(m, vectors) || columns < vectors * lanes<T>())) {
    vectors /= 2;
  }
  return vectors;
}

/// C (m x n) = or += the sum of the slabs' products.
template <class T>
void multiply(std::size_t m, std::size_t n, std::span<const Slab<T>> slabs, Adjacent adjacent, T* c,
              std::size_t ldc, bool accumulate) {
  std::size_t depth = 0;
  for (const Slab<T>& slab : slabs) depth += slab.depth;
  const EvenSplit tiles(m, max_tile_rows);
  const std::size_t tile_size = std::max<std::size_t>(depth, 1) * tiles.length(0);
  const EvenSplit passes(tiles.parts, std::max<std::size_t>(pass_size<T> / tile_size, 1));
  for (std::size_t pass = 0; pass < passes.parts; ++pass) {
    const std::size_t begin = passes.begin(pass), end = begin + passes.length(pass);
    for (std::size_t j = 0; j < n;) {
      const std::size_t vectors = tile_vectors<T>(m, n - j);
      const std::size_t columns = std::min(n - j, vectors * lanes<T>());
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t first = tiles.begin(i), rows = tiles.length(i);
        T* const corner = c + first * ldc + j;
        if (m * n >= large_c<T> && i + 1 < end) prefetch(corner + rows * ldc, ldc, rows, columns);
        tile_kernel<T>(adjacent, rows, vectors)({.slabs = slabs,
                                                 .row = first,
                                                 .panel = j / panel_columns<T>,
                                                 .last_panel = n - j < panel_columns<T>,
                                                 .c = corner,
                                                 .c_row = ldc,
                                                 .columns = columns,
                                                 .accumulate = accumulate});
      }
      j += columns;
    }
  }
}

/// C (m x n) = or += A B, where `read_b(k, slab)` lets the slab read B from its row k on.
template <class T, class ReadB>
void multiply_by_k(std::size_t m, std::size_t n, std::size_t k, MatrixView<T> a, ReadB read_b, T* c,
                   std::size_t ldc, bool accumulate) {
  if (k == 0) return multiply<T>(m, n, {}, Adjacent::rows, c, ldc, accumulate);
  const EvenSplit blocks(k, k_block<T>);
  for (std::size_t i = 0; i < blocks.parts; ++i) {
    const MatrixView<T> left = from(a, 0, blocks.begin(i));
    Slab<T> slab{.depth = blocks.length(i)};
    read_b(blocks.begin(i), slab);
    const Adjacent adjacent =
        packs_left(m, n, a)
            ? pack_left(m, left, workspace<T>().left.reserve(m * slab.depth), slab)
            : read_left(m, left, slab);
    multiply<T>(m, n, {&slab, 1}, adjacent, c, ldc, accumulate || i > 0);
  }
}

/// The row C (1 x n) = or += a B where the k of B are adjacent: blocks of B are transposed in
/// registers on their way, for packing would cost more than the product.
template <class T>
void multiply_row(std::size_t n, std::size_t k, MatrixView<T> a, MatrixView<T> b, T* c,
                  bool accumulate) {
  constexpr Simd<T> d;
  constexpr std::size_t block = block_lanes<T>;
  for (std::size_t j = 0; j < n; j += lanes<T>()) {
    const StripSource<T> columns{from(b, 0, j).data, 1, b.col_stride, n - j};
    Vec<T> sum = accumulate ? simd::load_n(d, c + j, n - j) : hn::Zero(d);
    const auto add = [&](std::size_t p, Vec<T> row) {
      sum = hn::MulAdd(hn::Set(d, a.data[p * a.col_stride]), row, sum);
    };
    for (std::size_t p = 0; p < k / block * block; p += block) {
      const auto rows = transposed_blocks(columns, p, 0);
      for (std::size_t i = 0; i < block; ++i) add(p + i, rows[i]);
    }
    for (std::size_t p = k / block * block; p < k; ++p) {
      HWY_ALIGN T row[lanes<T>()];
      for (std::size_t w = 0; w < lanes<T>(); ++w) row[w] = columns.lane(w)[p];
      add(p, hn::Load(d, row));
    }
    simd::store_n(sum, d, c + j, n - j);
  }
}

/// The column C (m x 1) = or += A b as the row b^T A^T, which fills whole vectors.
template <class T>
void multiply_column(std::size_t m, std::size_t k, MatrixView<T> a, MatrixView<T> b, T* c,
                     std::size_t ldc, bool accumulate) {
  if (ldc == 1) return gemm(1, m, k, transposed(b), transposed(a), c, m, accumulate);
  T* const row = workspace<T>().column.reserve(m);
  for (std::size_t i = 0; accumulate && i < m; ++i) row[i] = c[i * ldc];
  gemm(1, m, k, transposed(b), transposed(a), row, m, accumulate);
  for (std::size_t i = 0; i < m; ++i) c[i * ldc] = row[i];
}

}  // namespace

template <class T>
std::size_t packed_size(std::size_t k, std::size_t n) {
  return k * round_to_vector<T>(n);
}

template <class T>
void pack(std::size_t k, std::size_t n, MatrixView<T> b, T* packed) {
  pack_panels(k, n, b, packed);
}

template <class T>
void gemm(std::size_t m, std::size_t n, std::size_t k, MatrixView<T> a, MatrixView<T> b, T* c,
          std::size_t ldc, bool accumulate) {
  if (m == 0 || n == 0) return;
  if (n == 1 && m > 1) return multiply_column(m, k, a, b, c, ldc, accumulate);
  if (m == 1 && n > 1 && b.row_stride == 1) return multiply_row(n, k, a, b, c, accumulate);
  const bool packs = packs_right(m, b);
  const auto read_b = [&](std::size_t first, Slab<T>& slab) {
    T* const scratch = workspace<T>().right.reserve(scratch_for_right<T>(packs, n) * slab.depth);
    read_right(packs, n, from(b, first, 0), scratch, slab);
  };
  multiply_by_k(m, n, k, a, read_b, c, ldc, accumulate);
}

template <class T>
void gemm_packed(std::size_t m, std::size_t n, std::size_t k, MatrixView<T> a, const T* packed_b,
                 T* c, std::size_t ldc, bool accumulate) {
  if (m == 0 || n == 0) return;
  if (n == 1 && m > 1) {
    return multiply_column(m, k, a, {packed_b, lanes<T>(), 1}, c, ldc, accumulate);
  }
  const auto read_b = [&](std::size_t first, Slab<T>& slab) {
    read_packed(n, k, first, packed_b, slab);
  };
  multiply_by_k(m, n, k, a, read_b, c, ldc, accumulate);
}

template <class T>
void gemm_outer(std::size_t m, std::size_t n, std::span<const OuterBlock<T>> blocks, T* c,
                std::size_t ldc) {
  if (m == 0 || n == 0) return;
  const auto left_packs = [&](const OuterBlock<T>& block) {
    return block.left.col_stride != 1 || packs_left(m, n, transposed(block.left));
  };
  const auto right_packs = [m](const OuterBlock<T>& block) {
    return block.right.col_stride != 1 || (m >= 4 * max_tile_rows && far_apart<T>(block.right.row_stride));
  };
  std::size_t left_width = 0, right_width = 0;  // scratch elements for a row of any block
  for (const OuterBlock<T>& block : blocks) {
    left_width = std::max(left_width, left_packs(block) ? m : 0);
    right_width = std::max(right_width, scratch_for_right<T>(right_packs(block), n));
  }
  T* const left = workspace<T>().left.reserve(left_width * outer_k_block<T>);
  T* const right = workspace<T>().right.reserve(right_width * outer_k_block<T>);

  std::vector<Slab<T>>& slabs = workspace<T>().slabs;
  std::size_t depth = 0;
  const auto flush = [&] {
    if (depth > 0) multiply<T>(m, n, slabs, Adjacent::rows, c, ldc, true);
    slabs.clear();
    depth = 0;
  };
  flush();
  for (const OuterBlock<T>& block : blocks) {
    for (std::size_t done = 0; done < block.rows;) {
      Slab<T> slab{.depth = std::min(block.rows - done, outer_k_block<T> - depth)};
      const MatrixView<T> a = transposed(from(block.left, done, 0));
      if (left_packs(block)) {
        pack_left(m, a, left + left_width * depth, slab);
      } else {
        read_left(m, a, slab);
      }
      read_right(right_packs(block), n, from(block.right, done, 0), right + right_width * depth,
                 slab);
      slabs.push_back(slab);
      done += slab.depth;
      depth += slab.depth;
      if (depth == outer_k_block<T>) flush();
    }
  }
  flush();
}

#define HINDSIGHT_INSTANTIATE(T)                                                                 \
  template std::size_t packed_size<T>(std::size_t, std::size_t);                                 \
  template void pack<T>(std::size_t, std::size_t, MatrixView<T>, T*);                            \
  template void gemm<T>(std::size_t, std::size_t, std::size_t, MatrixView<T>, MatrixView<T>, T*, \
                        std::size_t, bool);                                                      \
  template void gemm_packed<T>(std::size_t, std::size_t, std::size_t, MatrixView<T>, const T*,   \
                               T*, std::size_t, bool);                                           \
  template void gemm_outer<T>(std::size_t, std::size_t, std::span<const OuterBlock<T>>, T*,      \
                              std::size_t);
HINDSIGHT_INSTANTIATE(float)
HINDSIGHT_INSTANTIATE(double)
#undef HINDSIGHT_INSTANTIATE

}  // namespace hindsight::kernels
