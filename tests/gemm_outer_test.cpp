// The weight gradient over many steps: one product over all their rows, whatever the blocks.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cstddef>
#include <vector>

#include "autodiff/kernels/gemm.hpp"
#include "tests/gemm_data.hpp"

namespace {

using namespace hindsight::kernels;
using namespace hindsight::kernels::test;

}  // namespace

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
