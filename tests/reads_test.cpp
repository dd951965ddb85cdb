// Reads: what each brings back, what a mask hides, and what a hard choice does not teach.

#include "layers/reads.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "layers/unroll.hpp"
#include "tests/finite_difference.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

struct Source : Axis<> {};
struct Batch : Axis<> {};
struct Three : Axis<3> {};
struct Hidden : Axis<2> {};
struct One : Axis<1> {};

template <class T>
std::vector<T> as(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}
template <class P>
void set(P& parameter, const std::vector<double>& values) {
  auto edit = parameter.edit();
  REQUIRE(edit.size() == values.size());
  std::copy(values.begin(), values.end(), edit.begin());
}

/// The states (2, 1), (4, 0) and a third one that is padding.
template <class T>
Var<T, Source, Batch, Hidden> two_states(double pad = 0) {
  return variable<Source, Batch, Hidden>(as<T>({2, 1, 4, 0, pad, pad}), extent<Source>(3), extent<Batch>(1));
}
template <class T>
Var<T, Batch, Hidden> asked(double a, double b) {
  return variable<Batch, Hidden>(as<T>({a, b}), extent<Batch>(1));
}
template <class T>
Var<T, Source, Batch> mask_of(std::size_t length) {
  return mask_of_lengths<Source, Batch, T>(std::vector{length}, 3);
}

template <class T>
void check_values(const std::vector<T>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("element " << i);
    CHECK_THAT(found[i], WithinAbs(expected[i], std::is_same_v<T, float> ? 1e-6 : 1e-9));
  }
}

/// A read of the two states, whose scores are 1 and 0, and of whatever is behind them.
template <class T, class Read>
void check_read(const Read& read, const Var<T, Batch, Hidden>& query, const std::vector<double>& context,
                const std::vector<double>& weights) {
  for (const double pad : {0.0, 7.0, not_a_number<double>, inf<double>}) {
    CAPTURE(pad);
    const auto memory = read.remember(two_states<T>(pad), mask_of<T>(2));
    const auto look = read(query, memory);
    check_values(look.context.values(), context);
    check_values(look.weights.values(), weights);
    CHECK(look.weights.at(2, 0) == 0);
  }
}

template <class T, class Score>
void check_attention(const Score& score, double a, double b) {
  const Attention<Score> attention{score};
  check_read<T>(attention, asked<T>(a, b), {2.537882843, 0.731058579}, {0.731058579, 0.268941421, 0});
  const HardSelection<Score> hard{score};
  check_read<T>(hard, asked<T>(a, b), {2, 1}, {1, 0, 0});
  check_read<T>(hard, asked<T>(-a, -b), {4, 0}, {0, 1, 0});
}

}  // namespace

TEMPLATE_TEST_CASE("attention and hard selection over each score: the scores are 1 and 0, and one position is padding",
                   "", float, double) {
  using T = TestType;
  Tape tape;
  check_attention<T>(DotScore<Hidden, T>{}, 0, 1);
  check_attention<T>(ScaledDotScore<Hidden, T>{}, 0, std::sqrt(2.0));
  GeneralScore<Hidden, Hidden, T> general;
  set(general.map.weight, {0, 0, 1, 0});
  check_attention<T>(general, 1, 0);
  AdditiveScore<Hidden, Hidden, One, T> additive;  // 2 tanh(atanh(1/2) h_2 + s_1), and the query turns the sign
  set(additive.from_memory.weight, {0, std::atanh(0.5)});
  set(additive.v, {2});
  const Attention<decltype(additive)> attention{additive};
  check_read<T>(attention, asked<T>(0, 0), {2.537882843, 0.731058579}, {0.731058579, 0.268941421, 0});
}

TEMPLATE_TEST_CASE("last, mean, maximum and nothing, whatever is asked", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto query = asked<T>(3, -5);
  check_read<T>(LastState<Hidden, T>{}, query, {4, 0}, {0, 1, 0});
  check_read<T>(MeanState<Hidden, T>{}, query, {3, 0.5}, {0.5, 0.5, 0});
  check_read<T>(MaxState<Hidden, T>{}, query, {4, 1}, {0, 0, 0});
  check_read<T>(NoRead<Hidden, T>{}, query, {}, {0, 0, 0});
}

TEMPLATE_TEST_CASE("all states side by side, where Source is static", "", float, double) {
  using T = TestType;
  using Read = AllStates<Three, Hidden, T>;
  static_assert(std::same_as<typename Read::Context, Concat<Hidden, Hidden, Hidden>>);
  Tape tape;
  const Read read;
  const auto states =
      variable<Three, Batch, Hidden>(as<T>({1, 2, 3, 4, 5, 6, 7, 8, NAN, NAN, 9, 10}), extent<Batch>(2));
  const auto memory = read.remember(states, mask_of_lengths<Three, Batch, T>(std::vector<std::size_t>{2, 3}, 3));
  const auto look = read(variable<Batch, Hidden>(as<T>({0, 0, 0, 0}), extent<Batch>(2)), memory);
  CHECK(look.context.values() == as<T>({1, 2, 5, 6, 0, 0, 3, 4, 7, 8, 9, 10}));
  CHECK(look.weights.values() == std::vector<T>(6));
  const auto weights = weights_like(look.context);
  backward(look.context, weights);
  const auto w = weights.values();
  CHECK(states.gradients() ==
        std::vector<T>{w[0], w[1], w[6], w[7], w[2], w[3], w[8], w[9], 0, 0, w[10], w[11]});
}

TEST_CASE("of equal scores, hard selection takes the first") {
  Tape tape;
  const HardSelection<DotScore<Hidden, double>> hard;
  const auto look = hard(asked<double>(0, 0), hard.remember(two_states<double>(), mask_of<double>(2)));
  CHECK(look.weights.values() == std::vector{1.0, 0.0, 0.0});
}

TEMPLATE_TEST_CASE("a hard choice gives its context's gradient to the chosen state and exactly none to who asked", "",
                   (GeneralScore<Hidden, Hidden, double>), (AdditiveScore<Hidden, Hidden, Three, double>)) {
  HardSelection<TestType> hard;
  std::uint64_t n = 0;
  for_each_parameter(hard, [&](const Path&, auto& p) { initialise_uniform(p, 0.9, Random{5}.child(n++)); });
  Tape tape;
  const auto states =
      variable<Source, Batch, Hidden>(numbers<double>(5 * 3 * 2, "states"), extent<Source>(5), extent<Batch>(3));
  const auto query = variable<Batch, Hidden>(numbers<double>(6, "query"), extent<Batch>(3));
  const auto look = hard(query, hard.remember(states));
  const auto scores = hard.score(query, hard.score.keys(states));
  const std::vector<std::int32_t> best = argmax<Source>(scores);
  const auto weights = weights_like(look.context);
  backward(look.context, weights);
  CHECK(query.gradients() == std::vector<double>(6));
  for_each_parameter(hard, [&](const Path& path, const auto& p) {
    CAPTURE(path.text());
    CHECK(p.size() > 0);
    for (const double g : p.gradients()) CHECK(g == 0);
  });
  for (std::size_t b = 0; b < 3; ++b)
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t k = 0; k < 2; ++k) {
        const bool chosen = static_cast<std::int32_t>(i) == best[b];
        CHECK(states.gradient_at(i, b, k) == (chosen ? weights.at(b, k) : 0));
        if (chosen) CHECK(look.context.at(b, k) == states.at(i, b, k));
      }
}

TEST_CASE("a softmax teaches who asks, and the states, by both ways") {
  Tape tape;
  const Attention<DotScore<Hidden, double>> attention;
  const auto states = two_states<double>();
  const auto query = asked<double>(0, 1);
  const auto look = attention(query, attention.remember(states, mask_of<double>(2)));
  backward(look.context, constant<Batch, Hidden>({1.0, 0.0}, extent<Batch>(1)));
  // d c_1 / d e_1 = alpha_1 (2 - c_1) = -alpha_1 alpha_2 (4 - 2), and e_i = s . h_i
  const double alpha = 0.7310585786300049, slope = -2 * alpha * (1 - alpha);
  check_values(query.gradients(), {slope * 2 - slope * 4, slope * 1});
  check_values(states.gradients(), {alpha, slope, 1 - alpha, -slope, 0, 0});
}
