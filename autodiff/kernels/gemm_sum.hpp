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

/// Columns of B that are packed at a time: so many that its rows are read in long pieces, so few that the cache holds
/// them beside a pass of A.
template <class T>
inline constexpr std::size_t packed_columns = 8 * panel_columns<T>;

/// Elements of a C that the cache does not hold: its tiles are asked for ahead of their use.
template <class T>
inline constexpr std::size_t large_c = (1 << 20) / sizeof(T);

/// Memory of the calling thread, kept from call to call: a steady training step allocates nothing.
template <class T>
struct Workspace {
  Scratch<T> left, right, column;
  std::vector<Slab<T>> slabs;
  std::vector<RightRows<T>> right_rows;
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

/// The sum of products C (m x n) = start + A B + A' B' + ..: slabs of them are gathered until they are `block` deep in
/// all, and then multiplied in one pass over C.
template <class T>
class Sum {
 public:
  /// `depth` is the k of all products together.
  Sum(std::size_t m, std::size_t n, std::size_t depth, Start<T> start, T* c, std::size_t ldc)
      : m_(m), n_(n), block_(EvenSplit(depth, k_block<T>).length(0)), tiles_(m, max_tile_rows), start_(start), c_(c),
        ldc_(ldc) {
    slabs_.clear();
    right_rows_.clear();
  }

  /// Adds A B, of this k.
  void add(bool packs_left, MatrixView<T> a, std::size_t k, const RightRows<T>& b) {
    const Adjacent adjacent = adjacent_in(m_, packs_left, a);
    if (adjacent != adjacent_) flush();
    adjacent_ = adjacent;
    for (std::size_t done = 0; done < k;) {
      Slab<T> slab{.depth = std::min(k - done, block_ - depth_)};
      if (packs_left)
        pack_left(m_, from(a, 0, done), block_, depth_, workspace<T>().left.reserve(m_ * block_), slab);
      else
        read_left(m_, from(a, 0, done), slab);
      slabs_.push_back(slab);
      right_rows_.push_back(b.from_row(done));
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
      multiply();
  }

 private:
  void flush() {
    if (depth_ == 0) return;
    multiply();
    start_ = {c_, ldc_};
    slabs_.clear();
    right_rows_.clear();
    depth_ = 0;
  }

  /// C = start + the sum of the slabs' products.
  void multiply() {
    const std::size_t tile_size = std::max<std::size_t>(depth_, 1) * tiles_.length(0);
    const EvenSplit passes(tiles_.parts, std::max<std::size_t>(pass_size<T> / tile_size, 1));
    const std::size_t whole = n_ / panel_columns<T> * panel_columns<T>;
    for (std::size_t j = 0; j < n_;) {
      const std::size_t columns = j < whole ? std::min(whole - j, packed_columns<T>) : n_ - whole;
      seek_columns(j, columns);
      for (std::size_t pass = 0; pass < passes.parts; ++pass)
        multiply(passes.begin(pass), passes.begin(pass) + passes.length(pass), j, j + columns);
      j += columns;
    }
  }

  void seek_columns(std::size_t j, std::size_t columns) {
    T* scratch = workspace<T>().right.reserve(packed_columns<T> * block_);
    for (std::size_t s = 0; s < slabs_.size(); ++s) {
      read_right(right_rows_[s], j, columns, scratch, slabs_[s]);
      scratch += round_to_vector<T>(columns) * slabs_[s].depth;
    }
  }

  /// The tiles begin .. end - 1 of the columns from `first` to `last`, which the slabs are at.
  void multiply(std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last;) {
      const std::size_t vectors = tile_vectors<T>(m_, last - j);
      const std::size_t columns = std::min(last - j, vectors * lanes<T>());
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t row = tiles_.begin(i), rows = tiles_.length(i);
        T* const corner = c_ + row * ldc_ + j;
        const T* const start = start_.data ? start_.data + row * start_.row_stride + j : nullptr;
        if (m_ * n_ >= large_c<T> && i + 1 < end) prefetch(corner + rows * ldc_, ldc_, rows, columns);
        tile_kernel<T>(adjacent_, rows, vectors)({.slabs = slabs_,
                                                  .row = row,
                                                  .panel = (j - first) / panel_columns<T>,
                                                  .c = corner,
                                                  .c_row = ldc_,
                                                  .columns = columns,
                                                  .start = start,
                                                  .start_row = start_.row_stride});
      }
      j += columns;
    }
  }

  std::size_t m_, n_, block_;
  EvenSplit tiles_;
  Start<T> start_;
  T* c_;
  std::size_t ldc_;
  std::vector<Slab<T>>& slabs_ = workspace<T>().slabs;
  std::vector<RightRows<T>>& right_rows_ = workspace<T>().right_rows;
  std::size_t depth_ = 0;
  Adjacent adjacent_ = Adjacent::rows;
};

}  // namespace hindsight::kernels
