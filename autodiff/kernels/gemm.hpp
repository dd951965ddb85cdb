// Matrix products on plain memory, in float and double: C = A B, C += A B, and the weight gradient.
//
// Every element of C is one chain of fused multiply-adds over k in rising order,
//
//   C[i, j] = fma(A[i, k], B[k, j], C[i, j]),   k = 0 .. K-1,
//
// begun from 0, from a bias, or from the C that was there where the product accumulates. So a row gives
// the same bits alone and in a batch, B the same packed and unpacked, and a sum of products the same in
// one call as in several. (On targets without a fused
// multiply-add, x86-64 before AVX2, each link rounds twice, in the same order.) Nothing is skipped:
// NaN and infinity in A or B reach every element of C they belong to.
//
// C must not overlap A or B. K = 0 without accumulation writes zeros.
#pragma once

#include <cstddef>
#include <span>

namespace hindsight::kernels {

/// A matrix as it lies in memory: element (r, c) is data[r * row_stride + c * col_stride].
template <class T>
struct MatrixView {
  const T* data;
  std::size_t row_stride, col_stride;
};

/// The number of T that `pack` writes for a K x N right-hand matrix: N rounded up to whole vectors.
template <class T>
std::size_t packed_size(std::size_t k, std::size_t n);

/// Lays the K x N matrix B out in panels as the products read it. `packed` holds packed_size(k, n)
/// elements; it is read fastest where it starts at a multiple of 64 bytes.
template <class T>
void pack(std::size_t k, std::size_t n, MatrixView<T> b, T* packed);

/// C (M x N, its rows ldc apart) = A (M x K) B (K x N), or C += A B.
template <class T>
void gemm(std::size_t m, std::size_t n, std::size_t k, MatrixView<T> a, MatrixView<T> b, T* c,
          std::size_t ldc, bool accumulate);

/// A term of a sum of products: A (M x K), and a B (K x N) that `pack` laid out before.
template <class T>
struct PackedTerm {
  MatrixView<T> a;
  const T* packed_b;
  std::size_t k;
};

/// What a sum of products begins from: element (i, j) is data[i * row_stride + j], and 0 for null. A bias has row
/// stride 0; where it is C itself the sum is added to what is there.
template <class T>
struct Start {
  const T* data = nullptr;
  std::size_t row_stride = 0;
};

/// C (M x N, its rows ldc apart) = start + the sum of A B over the terms, in their order.
template <class T>
void gemm_packed(std::size_t m, std::size_t n, std::span<const PackedTerm<T>> terms, Start<T> start, T* c,
                 std::size_t ldc);

/// C = A B, or C += A B, of one packed B.
template <class T>
void gemm_packed(std::size_t m, std::size_t n, std::size_t k, MatrixView<T> a, const T* packed_b, T* c,
                 std::size_t ldc, bool accumulate) {
  const PackedTerm<T> term{a, packed_b, k};
  gemm_packed<T>(m, n, {&term, 1}, accumulate ? Start<T>{c, ldc} : Start<T>{}, c, ldc);
}

/// One step's share of a weight gradient: left (rows x M) and right (rows x N).
template <class T>
struct OuterBlock {
  MatrixView<T> left, right;
  std::size_t rows;
};

/// C (M x N, its rows ldc apart) += sum over the blocks, in their order, of left^T right:
/// one product whose K is the sum of all rows.
template <class T>
void gemm_outer(std::size_t m, std::size_t n, std::span<const OuterBlock<T>> blocks, T* c,
                std::size_t ldc);

}  // namespace hindsight::kernels
