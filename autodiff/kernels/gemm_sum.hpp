// A sum of products in passes over C: which parts of A, B and C the micro-kernel works on, one after the other.
#pragma once

#include <hwy/cache_control.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "autodiff/kernels/gemm_micro.hpp"
#include "autodiff/kernels/gemm_operands.hpp"

namespace hindsight::kernels {

// Sizes for a second-level cache of 1 MB, found by measurement; larger caches do not mind.

/// The k of one pass over C: so many that C is read and written seldom, so few that a panel of B
/// and the tiles of A that pass by it stay in the cache.
template <class T>
inline constexpr std::size_t k_block = 2048 / sizeof(T);

/// Elements of A in the tiles that pass by a panel of B before the next panel is taken.
template <class T>
inline constexpr std::size_t pass_size = (1 << 19) / sizeof(T);

/// Elements of a C that the cache does not hold: its tiles are asked for ahead of their use.
template <class T>
inline constexpr std::size_t large_c = (1 << 20) / sizeof(T);

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

/// C (m x n) = start + the sum of the slabs' products.
template <class T>
void multiply(std::size_t m, std::size_t n, std::span<const Slab<T>> slabs, Adjacent adjacent, Start<T> start, T* c,
              std::size_t ldc) {
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
                                                 .start = start.data ? start.data + first * start.row_stride + j : nullptr,
                                                 .start_row = start.row_stride});
      }
      j += columns;
    }
  }
}

/// The sum of products C (m x n) = start + A B + A' B' + ..: slabs of them are gathered until they are `block` deep in
/// all, and then multiplied in one pass over C.
template <class T>
class Sum {
 public:
  /// `depth` is the k of all products together, `width` the elements of scratch for each k that their B may use.
  Sum(std::size_t m, std::size_t n, std::size_t depth, std::size_t width, Start<T> start, T* c, std::size_t ldc)
      : m_(m), n_(n), block_(EvenSplit(depth, k_block<T>).length(0)), width_(width), start_(start), c_(c), ldc_(ldc) {
    slabs_.clear();
  }

  /// Adds A B, of this k. `read_b(first, slab, scratch)` lets the slab read B from its row `first` on.
  template <class ReadB>
  void add(bool packs, MatrixView<T> a, std::size_t k, ReadB read_b) {
    const Adjacent adjacent = adjacent_in(m_, packs, a);
    if (adjacent != adjacent_) flush();
    adjacent_ = adjacent;
    T* const left = packs ? workspace<T>().left.reserve(m_ * block_) : nullptr;
    T* const right = width_ > 0 ? workspace<T>().right.reserve(width_ * block_) : nullptr;
    for (std::size_t done = 0; done < k;) {
      Slab<T> slab{.depth = std::min(k - done, block_ - depth_)};
      read_left(m_, packs, from(a, 0, done), packs ? left + m_ * depth_ : nullptr, slab);
      read_b(done, slab, right + width_ * depth_);
      slabs_.push_back(slab);
      done += slab.depth;
      depth_ += slab.depth;
      if (depth_ == block_) flush();
    }
  }

  /// Writes what is left, and C = start where nothing was added.
  void finish() {
    if (depth_ > 0)
      flush();
    else if (start_.data != c_)
      multiply<T>(m_, n_, {}, adjacent_, start_, c_, ldc_);
  }

 private:
  void flush() {
    if (depth_ == 0) return;
    multiply<T>(m_, n_, slabs_, adjacent_, start_, c_, ldc_);
    start_ = {c_, ldc_};
    slabs_.clear();
    depth_ = 0;
  }

  std::size_t m_, n_, block_, width_;
  Start<T> start_;
  T* c_;
  std::size_t ldc_;
  std::vector<Slab<T>>& slabs_ = workspace<T>().slabs;
  std::size_t depth_ = 0;
  Adjacent adjacent_ = Adjacent::rows;
};

}  // namespace hindsight::kernels
