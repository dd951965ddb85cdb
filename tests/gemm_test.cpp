// The matrix products against plain loops, bit against bit where the order of the sum is promised,
// and nothing written outside C.
#include "autodiff/kernels/gemm.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "autodiff/kernels/simd.hpp"

namespace {

using hindsight::lanes;
using hindsight::kernels::gemm;
using hindsight::kernels::gemm_outer;
using hindsight::kernels::gemm_packed;
using hindsight::kernels::MatrixView;
using hindsight::kernels::OuterBlock;
using hindsight::kernels::pack;
using hindsight::kernels::packed_size;

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

template <class T>
std::vector<T> packed(std::size_t k, std::size_t n, const Matrix<T>& b) {
  std::vector<T> memory(packed_size<T>(k, n));
  pack<T>(k, n, b.view(), memory.data());
  return memory;
}

/// gemm and gemm_packed on one size: right, the same bits, and nothing else touched.
template <class T>
void check(std::size_t m, std::size_t n, std::size_t k, Layout a_layout, Layout b_layout,
           bool accumulate) {
  CAPTURE(m, n, k, a_layout, b_layout, accumulate);
  const Matrix<T> a(m, k, a_layout, 1), b(k, n, b_layout, 2);
  Output<T> plain(m, n), from_packed(m, n);
  gemm<T>(m, n, k, a.view(), b.view(), plain.data(), plain.ldc, accumulate);
  gemm_packed<T>(m, n, k, a.view(), packed(k, n, b).data(), from_packed.data(), from_packed.ldc,
                 accumulate);
  const bool right = is_product(plain, k, a, b, accumulate);
  const bool bits_agree = same_bits(plain, from_packed);
  const bool nothing_else = plain.guards_untouched() && from_packed.guards_untouched();
  REQUIRE(right);
  REQUIRE(bits_agree);
  REQUIRE(nothing_else);
}

constexpr Layout layouts[] = {Layout::rows, Layout::columns, Layout::spread};

}  // namespace

TEMPLATE_TEST_CASE("products of every small size", "[gemm]", float, double) {
  constexpr std::size_t most = 2 * lanes<TestType>() + 1;
  for (std::size_t m = 0; m <= 14; ++m) {
    for (std::size_t n = 0; n <= most; ++n) {
      for (std::size_t k : {0, 1, 2, 3, 5, 8, 17}) {
        check<TestType>(m, n, k, layouts[(m + n) % 3], layouts[(m + k) % 3], (n + k) % 2 == 0);
      }
    }
  }
}

TEMPLATE_TEST_CASE("products in every layout", "[gemm]", float, double) {
  const std::size_t sizes[][3] = {{1, 1, 1},   {1, 70, 9},  {70, 1, 9},   {2, 150, 7}, {3, 131, 6},
                                  {5, 66, 33}, {13, 49, 4}, {33, 37, 29}, {50, 2, 31}, {7, 97, 11}};
  for (const auto& [m, n, k] : sizes) {
    for (Layout a : layouts) {
      for (Layout b : layouts) {
        for (bool accumulate : {false, true}) check<TestType>(m, n, k, a, b, accumulate);
      }
    }
  }
}

TEMPLATE_TEST_CASE("products across the blocks of k and of rows", "[gemm]", float, double) {
  for (std::size_t k : {255, 256, 257, 511, 512, 513, 1025, 2049}) {
    check<TestType>(5, 33, k, Layout::rows, Layout::rows, k % 2 == 0);
    check<TestType>(1, 40, k, Layout::rows, Layout::columns, k % 2 == 0);
  }
  // Large enough, with rows far enough apart, that A and B are packed inside.
  check<TestType>(261, 131, 1101, Layout::rows, Layout::rows, true);
  check<TestType>(263, 1030, 37, Layout::columns, Layout::rows, false);
}

TEMPLATE_TEST_CASE("without accumulation the old C does not matter, not even NaN", "[gemm]", float,
                   double) {
  const Matrix<TestType> a(3, 4, Layout::rows, 1), b(4, 5, Layout::rows, 2);
  for (std::size_t k : {std::size_t{0}, std::size_t{4}}) {
    Output<TestType> c(3, 5);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 5; ++j) c.data()[i * c.ldc + j] = std::nan("");
    }
    gemm<TestType>(3, 5, k, a.view(), b.view(), c.data(), c.ldc, false);
    CHECK(is_product(c, k, a, b, false));
  }
}

TEMPLATE_TEST_CASE("a row has the same bits alone and in any batch", "[gemm]", float, double) {
  using T = TestType;
  for (std::size_t n : {1, 3, 16, 33, 64, 300}) {
    for (std::size_t k : {1, 7, 64, 700}) {
      for (Layout layout : layouts) {
        CAPTURE(n, k, layout);
        constexpr std::size_t m = 41;
        const Matrix<T> a(m, k, Layout::rows, 1), b(k, n, layout, 2);
        Output<T> batch(m, n), alone(m, n), pairs(m, n);
        gemm<T>(m, n, k, a.view(), b.view(), batch.data(), batch.ldc, true);
        const std::vector<T> b_packed = packed(k, n, b);
        for (std::size_t i = 0; i < m; ++i) {
          const MatrixView<T> row{a.view().data + i * a.row_stride, a.row_stride, 1};
          gemm<T>(1, n, k, row, b.view(), alone.data() + i * alone.ldc, alone.ldc, true);
          if (i % 2 == 1) {
            const MatrixView<T> two{row.data - a.row_stride, a.row_stride, 1};
            gemm_packed<T>(2, n, k, two, b_packed.data(), pairs.data() + (i - 1) * pairs.ldc,
                           pairs.ldc, true);
          } else if (i + 1 == m) {
            gemm_packed<T>(1, n, k, row, b_packed.data(), pairs.data() + i * pairs.ldc, pairs.ldc,
                           true);
          }
        }
        REQUIRE(same_bits(batch, alone));
        REQUIRE(same_bits(batch, pairs));
      }
    }
  }
}

TEMPLATE_TEST_CASE("NaN and infinity reach their row and column of C, and no other", "[gemm]",
                   float, double) {
  using T = TestType;
  const T infinity = std::numeric_limits<T>::infinity();
  for (std::size_t m : {1, 9}) {
    for (std::size_t n : {1, 19, 70}) {
      CAPTURE(m, n);
      Matrix<T> a(m, 6, Layout::rows, 1), b(6, n, Layout::rows, 2);
      a.at(m - 1, 2) = 0;  // 0 times NaN and 0 times infinity are NaN
      b.at(2, n - 1) = infinity;
      a.at(0, 4) = std::nan("");
      Output<T> c(m, n), p(m, n);
      gemm<T>(m, n, 6, a.view(), b.view(), c.data(), c.ldc, false);
      gemm_packed<T>(m, n, 6, a.view(), packed(6, n, b).data(), p.data(), p.ldc, false);
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
          const bool nan = i == 0 || (i == m - 1 && j == n - 1);
          CHECK(std::isnan(c.at(i, j)) == nan);
          CHECK(std::isnan(p.at(i, j)) == nan);
          CHECK(std::isfinite(c.at(i, j)) == (!nan && j != n - 1));
        }
      }
      CHECK(c.guards_untouched());
    }
  }
}

TEMPLATE_TEST_CASE("a stride of zero repeats a row or a column", "[gemm]", float, double) {
  using T = TestType;
  const T values[] = {2, 3, 5, 7};
  for (std::size_t m : {1, 20}) {
    for (std::size_t n : {1, 2, 40}) {
      for (const auto& [rows, columns] : {std::pair{0, 1}, {1, 0}, {0, 0}}) {
        CAPTURE(m, n, rows, columns);
        // A = values in every row, or one value all along a row (of at most 4 values); B = ones.
        const std::size_t r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
        const std::size_t height = r == 0 ? m : std::min<std::size_t>(m, 4);
        const T one = 1;
        Output<T> out(height, n);
        gemm<T>(height, n, 4, {values, r, c}, {&one, 0, 0}, out.data(), out.ldc, false);
        for (std::size_t i = 0; i < height; ++i) {
          const T expected = c == 1 ? T(17) : 4 * values[r * i];
          for (std::size_t j = 0; j < n; ++j) CHECK(out.at(i, j) == expected);
        }
      }
    }
  }
}

TEMPLATE_TEST_CASE("weight gradient over unequal blocks", "[gemm]", float, double) {
  using T = TestType;
  const std::vector<std::size_t> cases[] = {{}, {0}, {1}, {7}, {16, 16, 16}, {3, 0, 1, 40, 5},
                                            {300, 301, 2}, {1200}};
  for (const auto& rows : cases) {
    for (std::size_t m : {0, 1, 5, 13, 33}) {
      for (std::size_t n : {0, 1, 17, 64, 70}) {
        for (Layout layout : layouts) {
          CAPTURE(rows.size(), m, n, layout);
          std::size_t total = 0;
          for (std::size_t r : rows) total += r;
          Matrix<T> left(total, m, Layout::rows, 1), right(total, n, Layout::rows, 2);
          std::vector<Matrix<T>> lefts, rights;
          std::vector<OuterBlock<T>> blocks;
          lefts.reserve(rows.size()), rights.reserve(rows.size());
          std::size_t done = 0;
          for (std::size_t r : rows) {
            lefts.emplace_back(r, m, layout, 1), rights.emplace_back(r, n, layout, 2);
            for (std::size_t i = 0; i < r; ++i) {
              for (std::size_t j = 0; j < m; ++j) lefts.back().at(i, j) = left.at(done + i, j);
              for (std::size_t j = 0; j < n; ++j) rights.back().at(i, j) = right.at(done + i, j);
            }
            blocks.push_back({lefts.back().view(), rights.back().view(), r});
            done += r;
          }
          Output<T> c(m, n), whole(m, n);
          gemm_outer<T>(m, n, blocks, c.data(), c.ldc);
          gemm<T>(m, n, total, {left.view().data, 1, left.row_stride}, right.view(), whole.data(),
                  whole.ldc, true);
          REQUIRE(same_bits(c, whole));
          REQUIRE(c.guards_untouched());
          bool right_sum = true;
          for (std::size_t i = 0; i < m; ++i) {
            for (std::size_t j = 0; j < n; ++j) {
              const auto term = [&](std::size_t p) {
                return (long double)left.at(p, i) * right.at(p, j);
              };
              right_sum = right_sum && within_bound(c.at(i, j), total, c.start(i, j), term);
            }
          }
          REQUIRE(right_sum);
        }
      }
    }
  }
}
