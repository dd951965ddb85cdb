// What the tests of the matrix products share: matrices that lie in memory in every way, an output
// between guards, and the error bound of a sum.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "autodiff/kernels/gemm.hpp"

namespace hindsight::kernels::test {

/// The same numbers in [-1, 1) for the same seed, everywhere.
template <class T>
T noise(std::uint64_t seed, std::uint64_t i) {
  std::uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + i * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return static_cast<T>(static_cast<double>(x >> 40) / (1 << 23) - 1.0);
}

/// Which neighbours are adjacent in memory: those in a row, those in a column, none.
enum class Layout { rows, columns, spread };
inline constexpr Layout layouts[] = {Layout::rows, Layout::columns, Layout::spread};

/// A matrix of noise that lies in memory as asked: not aligned, and not a byte longer than needed,
/// so that the address sanitizer sees what is read past it.
template <class T>
struct Matrix {
  Matrix(std::size_t rows, std::size_t columns, Layout layout, std::uint64_t seed)
      : row_stride(layout == Layout::columns ? 1 : layout == Layout::rows ? columns + 3 : 3),
        col_stride(layout == Layout::rows ? 1 : 3 * rows + 3),
        memory(rows * columns == 0 ? 1 : 2 + (rows - 1) * row_stride + (columns - 1) * col_stride) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = noise<T>(seed, i);
  }
  MatrixView<T> view() const { return {memory.data() + 1, row_stride, col_stride}; }
  T& at(std::size_t r, std::size_t c) { return memory[1 + r * row_stride + c * col_stride]; }
  T at(std::size_t r, std::size_t c) const { return memory[1 + r * row_stride + c * col_stride]; }

  std::size_t row_stride, col_stride;
  std::vector<T> memory;
};

/// C with guards around it and between its rows.
template <class T>
struct Output {
  Output(std::size_t rows, std::size_t columns, std::size_t gap = 5)
      : m(rows), n(columns), ldc(columns + gap), memory(2 * guard + rows * ldc) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = noise<T>(99, i);
    before = memory;
  }
  T* data() { return memory.data() + guard; }
  T at(std::size_t r, std::size_t c) const { return memory[guard + r * ldc + c]; }
  T start(std::size_t r, std::size_t c) const { return before[guard + r * ldc + c]; }

  bool guards_untouched() const {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      const bool inside = i >= guard && (i - guard) / ldc < m && (i - guard) % ldc < n;
      if (!inside && memory[i] != before[i]) return false;
    }
    return true;
  }

  static constexpr std::size_t guard = 67;
  std::size_t m, n, ldc;
  std::vector<T> memory, before;
};

template <class T>
auto bits(T value) {
  if constexpr (sizeof(T) == 4) return std::bit_cast<std::uint32_t>(value);
  else return std::bit_cast<std::uint64_t>(value);
}

template <class T>
bool same_bits(const Output<T>& x, const Output<T>& y) {
  for (std::size_t i = 0; i < x.m; ++i) {
    for (std::size_t j = 0; j < x.n; ++j) {
      if (bits(x.at(i, j)) != bits(y.at(i, j))) return false;
    }
  }
  return true;
}

/// |computed - exact| of a sum of k products started from c0, with up to two roundings a link, is
/// at most gamma_{2k} (|c0| + sum |a b|) (Higham, Accuracy and Stability, section 3.1).
template <class T, class Product>
bool within_bound(T computed, std::size_t k, T c0, Product product) {
  long double exact = c0, magnitude = std::abs(c0);
  for (std::size_t p = 0; p < k; ++p) {
    const long double term = product(p);
    exact += term;
    magnitude += std::abs(term);
  }
  const long double u = std::numeric_limits<T>::epsilon() / 2, steps = 2 * (k + 1);
  return std::abs(computed - exact) <= steps * u / (1 - steps * u) * magnitude;
}

template <class T>
bool is_product(const Output<T>& c, std::size_t k, const Matrix<T>& a, const Matrix<T>& b,
                bool accumulate) {
  for (std::size_t i = 0; i < c.m; ++i) {
    for (std::size_t j = 0; j < c.n; ++j) {
      const T c0 = accumulate ? c.start(i, j) : T(0);
      const auto term = [&](std::size_t p) { return (long double)a.at(i, p) * b.at(p, j); };
      if (!within_bound(c.at(i, j), k, c0, term)) return false;
    }
  }
  return true;
}

}  // namespace hindsight::kernels::test
