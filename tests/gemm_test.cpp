// The matrix products against plain loops, bit against bit where the order of the sum is promised,
// and nothing written outside C.
#include "autodiff/kernels/gemm.hpp"

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "autodiff/kernels/simd.hpp"
#include "tests/gemm_data.hpp"

namespace {

using namespace hindsight::kernels;
using namespace hindsight::kernels::test;
using hindsight::lanes;

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

TEMPLATE_TEST_CASE("a sum of products that begins from a bias has the bits of products one by one", "[gemm]", float,
                   double) {
  using T = TestType;
  constexpr std::size_t wide = 2 * lanes<T>() + 3;
  for (std::size_t m : {1, 2, 13, 70})
    for (std::size_t n : {std::size_t{1}, lanes<T>(), wide, std::size_t{300}})
      for (std::size_t k : {0, 1, 9, 300, 600})
        for (const Layout second : layouts) {
          CAPTURE(m, n, k, second);
          const Matrix<T> a(m, k, Layout::rows, 1), b(k, n, Layout::rows, 2);
          const Matrix<T> c(m, 40, second, 3), d(40, n, Layout::columns, 4), bias(1, n, Layout::rows, 5);
          const std::vector<T> packed_b = packed(k, n, b), packed_d = packed(40, n, d);
          const PackedTerm<T> terms[] = {{a.view(), packed_b.data(), k}, {c.view(), packed_d.data(), 40}};
          Output<T> together(m, n), apart(m, n);
          gemm_packed<T>(m, n, terms, {bias.view().data, 0}, together.data(), together.ldc);
          for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = 0; j < n; ++j) apart.data()[i * apart.ldc + j] = bias.at(0, j);
          for (const PackedTerm<T>& term : terms)
            gemm_packed<T>(m, n, term.k, term.a, term.packed_b, apart.data(), apart.ldc, true);
          const bool bits_agree = same_bits(together, apart);
          const bool nothing_else = together.guards_untouched();
          REQUIRE(bits_agree);
          REQUIRE(nothing_else);
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
