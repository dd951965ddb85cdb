// Scores: each against numbers worked out by hand, its gradients, and what is made only once a sentence.

#include "layers/scores.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "autodiff/gradcheck.hpp"
#include "autodiff/inspect.hpp"
#include "tests/error_text.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

struct Source : Axis<> {};
struct Batch : Axis<> {};
struct Asked : Axis<2> {};   // the query's axis where it is not the memory's
struct Hidden : Axis<4> {};  // the memory's
struct Inner : Axis<2> {};   // of the additive score
struct Five : Axis<5> {};

template <class P>
void set(P& parameter, const std::vector<double>& values) {
  auto edit = parameter.edit();
  REQUIRE(edit.size() == values.size());
  std::copy(values.begin(), values.end(), edit.begin());
}

/// Numbers in the scalar T.
template <class T>
std::vector<T> as(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// Three states of two sentences: h_1 of both, then h_2, then h_3.
template <class T>
Var<T, Source, Batch, Hidden> three_states() {
  return constant<Source, Batch, Hidden>(as<T>({3, -1, 5, 2,  /**/ 1, 7, -2, 0,  //
                                                0, 4, 1, -3,  /**/ 4, 1, 0, 2,   //
                                                -2, 1, 9, 0,  /**/ 0, 5, 6, -1}),
                                         extent<Source>(3), extent<Batch>(2));
}

template <class Score>
Score filled_score() {
  Score score;
  std::uint64_t n = 0;
  for_each_parameter(score, [&](const Path&, auto& p) { initialise_uniform(p, 0.9, Random{5}.child(n++)); });
  return score;
}

/// Every parameter, the query and the memory; check_gradients weighs the scores with random numbers.
template <class Score>
void check_score(std::size_t positions, std::size_t batch) {
  CAPTURE(positions, batch);
  Score score = filled_score<Score>();
  const auto report = check_gradients(
      [&](auto s, auto h) {
        const auto keys = score.keys(h);
        return score(s, keys);
      },
      score, random_input<Batch, typename Score::Query>("s", extent<Batch>(batch)),
      random_input<Source, Batch, typename Score::Memory>("h", extent<Source>(positions), extent<Batch>(batch)));
  INFO(report.text());
  CHECK(report.ok());
}

/// What a score says of a query and states; the values are those of `numbers`, one of them changed.
template <class Score>
std::vector<double> scores_where(const Score& score, std::size_t changed, double by) {
  Tape tape;
  std::vector<double> states = numbers<double>(3 * 2 * Score::Memory::extent, "states");
  if (changed < states.size()) states[changed] += by;
  const auto memory = constant<Source, Batch, typename Score::Memory>(states, extent<Source>(3), extent<Batch>(2));
  const auto query =
      constant<Batch, typename Score::Query>(numbers<double>(2 * Score::Query::extent, "query"), extent<Batch>(2));
  return score(query, score.keys(memory)).values();
}

template <class Score>
void changing_a_state_changes_its_score_alone() {
  const Score score = filled_score<Score>();
  const std::size_t width = Score::Memory::extent;
  const auto before = scores_where(score, 3 * 2 * width, 0);
  for (std::size_t k = 0; k < 3 * 2 * width; ++k) {
    const auto after = scores_where(score, k, 0.25);
    for (std::size_t at = 0; at < 6; ++at) {
      INFO("unit " << k << ", score " << at);
      CHECK((after[at] == before[at]) == (at != k / width));
    }
  }
}

std::size_t count_of(const std::string& text, const std::string& word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++n;
  return n;
}

}  // namespace

TEMPLATE_TEST_CASE("dot and scaled dot: s . h_i", "", float, double) {
  using T = TestType;
  Tape tape;
  const auto h = three_states<T>();
  const auto s = constant<Batch, Hidden>(as<T>({1, 2, 0, -1, 2, 0, 1, 1}), extent<Batch>(2));
  const DotScore<Hidden, T> dot;
  CHECK(dot(s, dot.keys(h)).values() == as<T>({-1, 0, 11, 10, 0, 5}));
  const ScaledDotScore<Hidden, T> scaled;  // sqrt(4) = 2
  CHECK(scaled(s, scaled.keys(h)).values() == as<T>({-0.5, 0, 5.5, 5, 0, 2.5}));
}

TEMPLATE_TEST_CASE("general: s W h_i", "", float, double) {
  using T = TestType;
  Tape tape;
  GeneralScore<Asked, Hidden, T> general;
  set(general.map.weight, {1, 0, 2, -1, 0, 3, -1, 1});
  const auto s = constant<Batch, Asked>(as<T>({1, -1, 2, 3}), extent<Batch>(2));
  const auto keys = general.keys(three_states<T>());
  CHECK(keys.values() == as<T>({-1, 18, 15, -13, 11, -4, 4, 1, 0, 26, 11, 12}));
  CHECK(general(s, keys).values() == as<T>({-19, -9, 15, 11, -26, 58}));

  // With one axis for both, s W h and h W s are different things: W maps the memory.
  GeneralScore<Asked, Asked, T> square;
  set(square.map.weight, {0, 1, 0, 0});  // shows the second unit of a query the first of a state
  const auto h = constant<Source, Batch, Asked>(as<T>({5, 7}), extent<Source>(1), extent<Batch>(1));
  const auto one = constant<Batch, Asked>(as<T>({2, 3}), extent<Batch>(1));
  CHECK(square(one, square.keys(h)).values() == as<T>({15}));
}

TEMPLATE_TEST_CASE("additive: v . tanh(W s + U h_i + b)", "", float, double) {
  using T = TestType;
  Tape tape;
  AdditiveScore<Asked, Hidden, Inner, T> additive;
  set(additive.from_query.map.weight, {1, 1, 0, 1});
  set(additive.from_query.bias, {0, -1});
  set(additive.from_memory.weight, {1, 0, 0, 1, -1, 0, 0, 1});
  set(additive.v, {2, -3});
  const auto s = constant<Batch, Asked>(as<T>({1, -1, 0, 1}), extent<Batch>(2));  // W s + b: (1, -1) and (0, 0)
  const auto h = constant<Source, Batch, Hidden>(as<T>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1}),
                                                 extent<Source>(2), extent<Batch>(2));
  const auto keys = additive.keys(h);
  CHECK(keys.values() == as<T>({1, 0, 0, 1, -1, 1, 1, 1}));
  const auto e = additive(s, keys).values();
  const std::vector<double> expected{2 * std::tanh(2.0) + 3 * std::tanh(1.0), -3 * std::tanh(1.0), 0, -std::tanh(1.0)};
  REQUIRE(e.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK_THAT(e[i], WithinAbs(expected[i], std::is_same_v<T, float> ? 1e-6 : 1e-14));
}

TEST_CASE("scores pass the gradient check") {
  for (const std::size_t positions : {1, 3})
    for (const std::size_t batch : {1, 2}) {
      check_score<DotScore<Hidden, double>>(positions, batch);
      check_score<ScaledDotScore<Five, double>>(positions, batch);
      check_score<GeneralScore<Asked, Hidden, double>>(positions, batch);
      check_score<GeneralScore<Five, Five, double>>(positions, batch);
      check_score<AdditiveScore<Asked, Hidden, Five, double>>(positions, batch);
      check_score<AdditiveScore<Five, Five, Five, double>>(positions, batch);
    }
}

TEST_CASE("a change of a state changes its score and no other") {
  changing_a_state_changes_its_score_alone<DotScore<Hidden, double>>();
  changing_a_state_changes_its_score_alone<ScaledDotScore<Hidden, double>>();
  changing_a_state_changes_its_score_alone<GeneralScore<Asked, Hidden, double>>();
  changing_a_state_changes_its_score_alone<AdditiveScore<Asked, Hidden, Five, double>>();
}

TEST_CASE("the memory is projected once a sentence, and where there is nothing to project it is its own keys") {
  const auto projections = [](const auto& score) {
    Tape tape;
    const auto s = constant<Batch, Asked>(numbers<double>(4, "query"), extent<Batch>(2));
    const auto keys = score.keys(three_states<double>());
    for (int t = 0; t < 5; ++t) score(s, keys);
    return count_of(list(tape), "contract<From<Hidden>>");
  };
  CHECK(projections(filled_score<GeneralScore<Asked, Hidden, double>>()) == 1);
  CHECK(projections(filled_score<AdditiveScore<Asked, Hidden, Five, double>>()) == 1);

  Tape tape;
  const auto h = three_states<double>();
  CHECK(DotScore<Hidden, double>().keys(h).value == h.value);
  CHECK(ScaledDotScore<Hidden, double>().keys(h).value == h.value);
  CHECK(tape.size() == 0);
}

TEST_CASE("a query of another batch is refused") {
  Tape tape;
  const DotScore<Hidden, double> dot;
  const auto s = constant<Batch, Hidden>(std::vector<double>(12), extent<Batch>(3));
  CHECK(says(error_text([&] { dot(s, dot.keys(three_states<double>())); }), {"axis Batch", "2", "3"}));
}
