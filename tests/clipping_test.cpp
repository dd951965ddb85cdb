// Clipping by the global norm: what is scaled, what keeps its bits, and what is refused.

#include "autodiff/clipping.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <tuple>

#include "autodiff/optimizers.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::WithinRel;

namespace {

struct Rows : Axis<3> {};
struct Four : Axis<4> {};
struct Any : Axis<dynamic> {};

template <class T>
struct Pair {
  using One = Parameter<T>;
  using Many = Parameter<T, Four>;
  BOOST_HANA_DEFINE_STRUCT(Pair, (One, scale), (Many, weight));
};

template <class P, class T>
void set_gradients(P& p, const std::vector<T>& gradients) {
  REQUIRE(gradients.size() == p.size());
  std::copy(gradients.begin(), gradients.end(), p.gradients().begin());
}

template <class P>
auto gradients_of(const P& p) {
  return std::vector(p.gradients().begin(), p.gradients().end());
}

/// Four elements that all have this gradient, clipped.
template <class T>
struct Clipped {
  Parameter<T, Four> p;
  double norm;

  Clipped(T gradient, double limit) {
    set_gradients(p, std::vector<T>(4, gradient));
    norm = clip_by_global_norm(p, limit);
  }
};

}  // namespace

TEMPLATE_TEST_CASE("the norm is of all parameters together", "", float, double) {
  Parameter<TestType> a, b;
  a.gradients()[0] = 3;
  b.gradients()[0] = 4;
  auto both = std::tie(a, b);
  CHECK(clip_by_global_norm(both, 1) == 5);  // each on its own: 1 and 1
  CHECK_THAT(a.gradients()[0], WithinRel(TestType(0.6)));
  CHECK_THAT(b.gradients()[0], WithinRel(TestType(0.8)));
}

TEMPLATE_TEST_CASE("a tied parameter counts once and is scaled once", "", float, double) {
  Parameter<TestType> a, b;
  a.gradients()[0] = 3;
  b.gradients()[0] = 4;
  auto tied = std::tie(a, b, a);
  CHECK(clip_by_global_norm(tied, 1) == 5);  // counted twice: 5.830951895
  CHECK_THAT(a.gradients()[0], WithinRel(TestType(0.6)));
  CHECK_THAT(b.gradients()[0], WithinRel(TestType(0.8)));
}

TEMPLATE_TEST_CASE("up to the limit every bit stays", "", float, double) {
  for (const std::size_t n : sizes<TestType>()) {
    Parameter<TestType, Any> p(extent<Any>(n));
    const auto before = numbers<TestType>(n, "gradient");
    set_gradients(p, before);
    const double norm = clip_by_global_norm(p, inf<double>);
    CHECK(clip_by_global_norm(p, norm) == norm);
    CHECK(clip_by_global_norm(p, norm + 1) == norm);
    CHECK(same_bits(gradients_of(p), before));
  }
}

TEMPLATE_TEST_CASE("above the limit the norm becomes the limit and the direction stays", "", float, double) {
  for (const std::size_t n : sizes<TestType>()) {
    if (n == 0) continue;
    Parameter<TestType, Any> p(extent<Any>(n));
    const auto before = numbers<TestType>(n, "gradient");
    set_gradients(p, before);
    const double norm = clip_by_global_norm(p, 1e-3);
    CHECK_THAT(clip_by_global_norm(p, inf<double>), WithinRel(1e-3, 1e-6));
    for (std::size_t i = 0; i < n; ++i)
      CHECK_THAT(p.gradients()[i], WithinRel(TestType(before[i] * 1e-3 / norm)));
  }
}

TEMPLATE_TEST_CASE("zero gradients stay zero, whatever the limit", "", float, double) {
  for (const double limit : {0.0, 1.0, inf<double>}) {
    const Clipped<TestType> clipped(0, limit);
    CHECK(clipped.norm == 0);
    CHECK(same_bits(gradients_of(clipped.p), std::vector<TestType>(4, 0)));
  }
  const Clipped<TestType> nothing_allowed(2, 0);
  CHECK(nothing_allowed.norm == 4);
  CHECK(gradients_of(nothing_allowed.p) == std::vector<TestType>(4, 0));
}

TEST_CASE("squares that overflow or underflow do not") {
  const Clipped<float> large(3e19f, 1);
  CHECK_THAT(large.norm, WithinRel(6e19, 1e-7));
  CHECK_THAT(large.p.gradients()[3], WithinRel(0.5f));
  const Clipped<float> small(1e-30f, 1);
  CHECK_THAT(small.norm, WithinRel(2e-30, 1e-7));
  CHECK(small.p.gradients()[3] == 1e-30f);

  const Clipped<double> larger(3e300, 1);
  CHECK_THAT(larger.norm, WithinRel(6e300, 1e-15));
  CHECK_THAT(larger.p.gradients()[3], WithinRel(0.5));
  const Clipped<double> smaller(1e-300, 1e-301);
  CHECK_THAT(smaller.norm, WithinRel(2e-300, 1e-15));
  CHECK_THAT(smaller.p.gradients()[3], WithinRel(5e-302));
}

TEST_CASE("a factor that float cannot hold still scales") {
  const Clipped<float> clipped(1e38f, 2e-10);  // 1e-48
  CHECK_THAT(clipped.p.gradients()[0], WithinRel(1e-10f, 1e-6f));
}

TEMPLATE_TEST_CASE("a gradient that is not finite is refused by name and nothing changes", "", float, double) {
  using T = TestType;
  for (const T bad : {inf<T>, -inf<T>, not_a_number<T>}) {
    Pair<T> m;
    Adam adam({.rate = 0.1});
    set_gradients(m.scale, std::vector<T>{3});
    set_gradients(m.weight, std::vector<T>{1, 2, 3, 4});
    adam.step(m);
    const Pair<T> weights = m;
    std::vector<T> moments, moments_after;
    adam.for_each_state(m, [&](const Path&, std::span<T> s) { moments.insert(moments.end(), s.begin(), s.end()); });

    const std::vector<T> gradients{1, 2, bad, 4};
    set_gradients(m.weight, gradients);
    const auto train = [&] {
      clip_by_global_norm(m, 1);
      adam.step(m);
    };
    CHECK_THROWS_WITH(train(), ContainsSubstring("clip_by_global_norm") && ContainsSubstring("'weight'"));
    adam.for_each_state(m, [&](const Path&, std::span<T> s) {
      moments_after.insert(moments_after.end(), s.begin(), s.end());
    });
    CHECK(adam.steps == 1);
    CHECK(same_bits(moments, moments_after));
    CHECK(m.scale.gradients()[0] == 3);
    CHECK(same_bits(gradients_of(m.weight), gradients));
    CHECK(m.scale.values()[0] == weights.scale.values()[0]);
    for (std::size_t i = 0; i < 4; ++i) CHECK(m.weight.values()[i] == weights.weight.values()[i]);
  }
}

TEST_CASE("finite gradients whose norm is beyond double are refused") {
  CHECK_THROWS_AS(Clipped<double>(1.7e308, 1), Error);
}

TEST_CASE("a negative or NaN limit is refused before anything else") {
  for (const double limit : {-1.0, -inf<double>, not_a_number<double>}) {
    Parameter<double, Four> p;
    set_gradients(p, std::vector<double>{1, 2, 3, 4});
    CHECK_THROWS_WITH(clip_by_global_norm(p, limit), ContainsSubstring("limit"));
    CHECK(gradients_of(p) == std::vector<double>{1, 2, 3, 4});
  }
  Parameter<double, Four> p;
  CHECK(clip_by_global_norm(p, -0.0) == 0);
}

TEMPLATE_TEST_CASE("a frozen row neither counts nor changes", "", float, double) {
  Parameter<TestType, Rows, Four> table;
  set_gradients(table, std::vector<TestType>{3, 0, 0, 0, 7, 7, inf<TestType>, 7, 0, 0, 0, 4});
  table.freeze_row(1);
  CHECK(clip_by_global_norm(table, 2.5) == 5);
  CHECK(gradients_of(table) == std::vector<TestType>{1.5, 0, 0, 0, 7, 7, inf<TestType>, 7, 0, 0, 0, 2});
}

TEST_CASE("a module without parameters has norm 0") {
  std::tuple<> nothing;
  CHECK(clip_by_global_norm(nothing, 1) == 0);
}
