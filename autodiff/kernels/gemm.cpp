// The matrix products: how each reads its operands, and how its columns are split over threads.
#include "autodiff/kernels/gemm.hpp"

#include <algorithm>
#include <span>

#include "autodiff/kernels/gemm_sum.hpp"
#include "autodiff/kernels/pack.hpp"
#include "autodiff/threads.hpp"

namespace hindsight::kernels {
namespace {

template <class T>
std::size_t depth_of(std::span<const PackedTerm<T>> terms) {
  std::size_t depth = 0;
  for (const PackedTerm<T>& term : terms) depth += term.k;
  return depth;
}
template <class T>
std::size_t depth_of(std::span<const OuterBlock<T>> blocks) {
  std::size_t depth = 0;
  for (const OuterBlock<T>& block : blocks) depth += block.rows;
  return depth;
}

/// Multiply-adds that are worth a second thread.
constexpr std::size_t worth_threads = std::size_t{1} << 21;

/// Runs work(first column, columns) over whole panels of B, so that the n columns are computed by as many threads as
/// their multiply-adds are worth.
template <class T, class Work>
void in_columns(std::size_t m, std::size_t n, std::size_t depth, const Work& work) {
  detail::in_ranges(n, panel_columns<T>, m * n * depth / worth_threads,
                    [&](std::size_t begin, std::size_t end) { work(begin, end - begin); });
}

// One thread's columns of the three products.

template <class T>
void product(std::size_t m, std::size_t n, std::size_t k, MatrixView<T> a, MatrixView<T> b, T* c,
             std::size_t ldc, bool accumulate) {
  Sum<T> sum(m, n, k, accumulate ? Start<T>{c, ldc} : Start<T>{}, c, ldc);
  sum.add(packs_left(m, n, a), a, k, {.view = b, .packs = packs_right(m, b)});
  sum.finish();
}

template <class T>
void packed_products(std::size_t m, std::size_t n, std::span<const PackedTerm<T>> terms, std::size_t column,
                     Start<T> start, T* c, std::size_t ldc) {
  Sum<T> sum(m, n, depth_of(terms), start, c, ldc);
  for (const auto& [a, packed_b, k] : terms)  // panel after panel, so that later columns lie behind earlier ones
    sum.add(packs_left(m, n, a), a, k, {.panels = packed_b + column * k, .panel_rows = k});
  sum.finish();
}

template <class T>
void outer_products(std::size_t m, std::size_t n, std::span<const OuterBlock<T>> blocks, std::size_t column, T* c,
                    std::size_t ldc) {
  Sum<T> sum(m, n, depth_of(blocks), {c, ldc}, c, ldc);
  for (const OuterBlock<T>& block : blocks) {
    const bool far = block.right.col_stride != 1 || (m >= 4 * max_tile_rows && far_apart<T>(block.right.row_stride));
    const bool packs = block.left.col_stride != 1 || packs_columns<T>(m, n);
    sum.add(packs, transposed(block.left), block.rows, {.view = from(block.right, 0, column), .packs = far});
  }
  sum.finish();
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

/// The same of a sum.
template <class T>
void multiply_columns(std::size_t m, std::span<const PackedTerm<T>> terms, Start<T> start, T* c, std::size_t ldc) {
  if (start.data != c)
    for (std::size_t i = 0; i < m; ++i) c[i * ldc] = start.data ? start.data[i * start.row_stride] : T{0};
  for (const auto& [a, packed_b, k] : terms)
    multiply_column(m, k, a, {packed_b, lanes<T>(), 1}, c, ldc, true);
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
  in_columns<T>(m, n, k, [&](std::size_t j, std::size_t columns) {
    product(m, columns, k, a, from(b, 0, j), c + j, ldc, accumulate);
  });
}

template <class T>
void gemm_packed(std::size_t m, std::size_t n, std::span<const PackedTerm<T>> terms, Start<T> start, T* c,
                 std::size_t ldc) {
  if (m == 0 || n == 0) return;
  if (n == 1 && m > 1) return multiply_columns(m, terms, start, c, ldc);
  in_columns<T>(m, n, depth_of(terms), [&](std::size_t j, std::size_t columns) {
    const Start<T> from{start.data ? start.data + j : nullptr, start.row_stride};
    packed_products(m, columns, terms, j, from, c + j, ldc);
  });
}

template <class T>
void gemm_outer(std::size_t m, std::size_t n, std::span<const OuterBlock<T>> blocks, T* c,
                std::size_t ldc) {
  if (m == 0 || n == 0) return;
  in_columns<T>(m, n, depth_of(blocks), [&](std::size_t j, std::size_t columns) {
    outer_products(m, columns, blocks, j, c + j, ldc);
  });
}

#define HINDSIGHT_INSTANTIATE(T)                                                                 \
  template std::size_t packed_size<T>(std::size_t, std::size_t);                                 \
  template void pack<T>(std::size_t, std::size_t, MatrixView<T>, T*);                            \
  template void gemm<T>(std::size_t, std::size_t, std::size_t, MatrixView<T>, MatrixView<T>, T*, \
                        std::size_t, bool);                                                      \
  template void gemm_packed<T>(std::size_t, std::size_t, std::span<const PackedTerm<T>>,         \
                               Start<T>, T*, std::size_t);                                       \
  template void gemm_outer<T>(std::size_t, std::size_t, std::span<const OuterBlock<T>>, T*,      \
                              std::size_t);
HINDSIGHT_INSTANTIATE(float)
HINDSIGHT_INSTANTIATE(double)
#undef HINDSIGHT_INSTANTIATE

}  // namespace hindsight::kernels
