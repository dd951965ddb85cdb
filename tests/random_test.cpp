// Philox against its published vectors; streams, draws, shuffles and dropout masks.

#include "autodiff/random.hpp"

#include <algorithm>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "autodiff/error.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;
using Words = std::array<std::uint32_t, 4>;

TEST_CASE("Philox gives the known answers of the Random123 distribution") {
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  const std::uint32_t ones = 0xffffffff;
  CHECK(philox({ones, ones, ones, ones}, {ones, ones}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("the seed is the key, index and stream are the counter") {
  CHECK(Random{0, 0}.bits(0) == 0xe169c58d6627e8d5);
  CHECK(Random{0x299f31d0a4093822, 0x0370734413198a2e}.bits(0x85a308d3243f6a88) ==
        0x94fdccebd16cfe09);
}

TEST_CASE("hash_path is 64-bit FNV-1a") {
  CHECK(hash_path("") == 0xcbf29ce484222325);
  CHECK(hash_path("a") == 0xaf63dc4c8601ec8c);
  CHECK(hash_path("foobar") == 0x85944171f73967e8);
}

TEST_CASE("child streams are named by their path") {
  const Random root{7};
  CHECK(root.child("encoder").child("cell").stream == hash_path("encoder/cell/"));
  CHECK(root.child("encoder").seed == 7);
  CHECK(root.child("ab").child("c").stream != root.child("a").child("bc").stream);
  std::set<std::uint64_t> streams;
  for (std::uint64_t i = 0; i < 100000; ++i) streams.insert(root.child(i).stream);
  CHECK(streams.size() == 100000);
  CHECK(root.child(1).bits(0) != root.child(2).bits(0));
  CHECK(root.bits(0) != Random{8}.bits(0));
}

TEST_CASE("uniform lies in [0, 1) and fills it evenly") {
  const Random random{3};
  const std::size_t n = 100000;
  double mean = 0, lag = 0;
  std::vector<int> bins(10);
  for (std::size_t i = 0; i < n; ++i) {
    const double u = random.uniform(i);
    REQUIRE((u >= 0 && u < 1));
    mean += u / n;
    lag += (u - 0.5) * (random.uniform(i + 1) - 0.5) / n;
    ++bins[static_cast<std::size_t>(10 * u)];
  }
  CHECK_THAT(mean, WithinAbs(0.5, 5 * std::sqrt(1 / 12.0 / n)));
  CHECK_THAT(lag, WithinAbs(0, 5 / 12.0 / std::sqrt(n)));
  for (const int count : bins) CHECK_THAT(count, WithinAbs(n / 10.0, 5 * std::sqrt(0.09 * n)));
}

TEST_CASE("normal has the moments and the tail of the normal distribution") {
  const Random random{4};
  const std::size_t n = 100000;
  double moments[5] = {};
  std::size_t beyond_two = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = random.normal(i);
    REQUIRE(std::isfinite(z));
    for (int k = 1; k <= 4; ++k) moments[k] += std::pow(z, k) / n;
    beyond_two += std::abs(z) > 2;
  }
  const double error = 5 / std::sqrt(n);
  CHECK_THAT(moments[1], WithinAbs(0, error));
  CHECK_THAT(moments[2], WithinAbs(1, error * std::sqrt(2)));
  CHECK_THAT(moments[3], WithinAbs(0, error * std::sqrt(15)));
  CHECK_THAT(moments[4], WithinAbs(3, error * std::sqrt(96)));
  CHECK_THAT(beyond_two / double(n), WithinAbs(0.0455, error * 0.21));
}

TEST_CASE("below draws every number equally often") {
  const Random random{5};
  std::vector<int> counts(7);
  for (std::size_t i = 0; i < 70000; ++i) ++counts.at(random.below(7, i));
  for (const int count : counts) CHECK_THAT(count, WithinAbs(10000, 5 * std::sqrt(10000)));
  CHECK(random.below(1, 9) == 0);
  CHECK_THROWS_AS(random.below(0, 0), Error);
}

TEST_CASE("shuffle permutes, every order equally often") {
  std::vector<int> counts(24);
  for (std::uint64_t epoch = 0; epoch < 24000; ++epoch) {
    std::vector<int> items{0, 1, 2, 3};
    shuffle(std::span(items), Random{6}.child(epoch));
    int rank = 0;
    for (std::size_t i = 0; i < 4; ++i)
      rank = rank * int(4 - i) + int(std::count_if(items.begin() + long(i), items.end(),
                                                    [&](int x) { return x < items[i]; }));
    std::vector<int> sorted = items;
    std::sort(sorted.begin(), sorted.end());
    REQUIRE(sorted == std::vector{0, 1, 2, 3});
    ++counts[static_cast<std::size_t>(rank)];
  }
  for (const int count : counts) CHECK_THAT(count, WithinAbs(1000, 5 * std::sqrt(1000)));
  std::vector<int> nothing;
  shuffle(std::span(nothing), Random{6});
}

TEMPLATE_TEST_CASE("filling is drawing one by one, whatever the split", "", float, double) {
  const Random random{8};
  const std::vector<std::size_t> all_sizes{0, 1, 31, 32, 33, 100};
  for (const std::size_t n : all_sizes) {
    std::vector<TestType> filled(n + 1, 9), mask(n + 1, 9);
    fill_uniform(n, TestType(-3), TestType(5), random, filled.data());
    dropout_mask(n, 0.7, random, 12345, mask.data());
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(filled[i] == random.uniform(TestType(-3), TestType(5), i));
      CHECK((filled[i] >= -3 && filled[i] <= 5));
      CHECK(mask[i] == (random.uniform(12345 + i) < 0.7 ? TestType(1 / 0.7) : TestType(0)));
    }
    CHECK(filled[n] == 9);
    CHECK(mask[n] == 9);
  }
}

TEMPLATE_TEST_CASE("a dropout mask keeps its share and has mean 1", "", float, double) {
  const std::size_t n = 100000;
  std::vector<TestType> mask(n);
  dropout_mask(n, 0.8, Random{9}, 0, mask.data());
  const auto kept = std::count(mask.begin(), mask.end(), TestType(1.25));
  CHECK(kept + std::count(mask.begin(), mask.end(), TestType(0)) == long(n));
  CHECK_THAT(double(kept), WithinAbs(0.8 * n, 5 * std::sqrt(0.16 * n)));
  dropout_mask(n, 1, Random{9}, 0, mask.data());
  CHECK(std::count(mask.begin(), mask.end(), TestType(1)) == long(n));
  dropout_mask(n, 0, Random{9}, 0, mask.data());
  CHECK(std::count(mask.begin(), mask.end(), TestType(0)) == long(n));
  for (const double wrong : {-0.1, 1.1, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(dropout_mask(n, wrong, Random{9}, 0, mask.data()), Error);
}
