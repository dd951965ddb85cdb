// Beam search: a table worked out by hand, against brute force and against greedy decoding, and on a model.
#include "models/beam_search.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "autodiff/random.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

using Symbols = std::vector<std::int32_t>;

/// The probabilities of the next symbol after what was written.
using Next = std::function<std::vector<double>(const Symbols&)>;

constexpr std::int32_t bos = 100;

/// A beam search that is told of the next symbols by `next`: it keeps each row's symbols itself, and checks that
/// nothing is extended twice and nothing that has ended.
std::vector<Hypothesis> search(std::size_t symbols, std::int32_t eos, const BeamOptions& options, const Next& next) {
  std::vector<Symbols> rows{{}};
  return beam_search(symbols, bos, eos, options, [&](auto parents, auto last) {
    REQUIRE(parents.size() == last.size());
    std::vector<Symbols> longer;
    std::vector<double> log_probabilities;
    for (std::size_t r = 0; r < parents.size(); ++r) {
      Symbols own = rows.at(parents[r]);
      if (last[r] != bos) own.push_back(last[r]);
      CHECK(std::ranges::find(own, eos) == own.end());
      CHECK(std::ranges::find(longer, own) == longer.end());
      for (const double p : next(own)) log_probabilities.push_back(std::log(p));
      longer.push_back(own);
    }
    rows = longer;
    return log_probabilities;
  });
}

enum : std::int32_t { A, B, end };

/// What comes first, what follows A and what follows B.
std::vector<double> by_hand(const Symbols& written) {
  if (written.empty()) return {.5, .3, .2};
  return written.back() == A ? std::vector{.1, .2, .7} : std::vector{.6, .1, .3};
}

/// A table of random probabilities of 3 symbols, of which the first one ends; some are 0.
std::vector<double> at_random(std::uint64_t seed, const Symbols& written) {
  Random random{seed};
  for (const std::int32_t symbol : written) random = random.child(static_cast<std::uint64_t>(symbol));
  std::vector<double> p(3);
  double sum = 0;
  for (std::size_t k = 0; k < 3; ++k) sum += p[k] = std::max(0.0, random.uniform(k) - (k > 0 ? 0.2 : 0.0));
  for (double& x : p) x /= sum;
  return p;
}

/// All sequences of at most `max_length` symbols, the end included, that are not impossible.
void extend(const Symbols& own, double log_probability, std::int32_t eos, const BeamOptions& options, const Next& next,
            std::vector<Hypothesis>& all) {
  const auto p = next(own);
  for (std::int32_t k = 0; k < static_cast<std::int32_t>(p.size()); ++k) {
    Hypothesis h{own, log_probability + std::log(p[static_cast<std::size_t>(k)]), 0, k == eos};
    if (std::isinf(h.log_probability)) continue;
    if (!h.finished) h.symbols.push_back(k);
    h.score = h.log_probability / std::pow(static_cast<double>(own.size() + 1), options.length_power);
    if (!h.finished && h.symbols.size() < options.max_length)
      extend(h.symbols, h.log_probability, eos, options, next, all);
    else
      all.push_back(h);
  }
}

std::vector<Hypothesis> brute_force(std::int32_t eos, const BeamOptions& options, const Next& next) {
  std::vector<Hypothesis> all;
  extend({}, 0, eos, options, next, all);
  std::ranges::stable_sort(all, [](const Hypothesis& a, const Hypothesis& b) {
    return a.finished != b.finished ? a.finished : a.score > b.score;
  });
  return all;
}

void check_same(const std::vector<Hypothesis>& found, const std::vector<Hypothesis>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].symbols == expected[i].symbols);
    CHECK(found[i].finished == expected[i].finished);
    CHECK_THAT(found[i].log_probability, WithinAbs(expected[i].log_probability, 1e-12));
    CHECK_THAT(found[i].score, WithinAbs(expected[i].score, 1e-12));
  }
}

std::vector<Symbols> symbols_of(const std::vector<Hypothesis>& hypotheses) {
  std::vector<Symbols> all;
  for (const Hypothesis& h : hypotheses) all.push_back(h.symbols);
  return all;
}

}  // namespace

TEST_CASE("a table by hand: what has ended leaves the beam, and a beam may be wider than the vocabulary") {
  const auto run = [](std::size_t beam, double length_power) {
    return search(3, end, {.beam = beam, .max_length = 2, .length_power = length_power}, by_hand);
  };
  CHECK(symbols_of(run(1, 0)) == std::vector<Symbols>{{A}});
  CHECK(symbols_of(run(3, 0)) == std::vector<Symbols>{{A}, {}, {B, A}});
  for (const std::size_t beam : {5, 6, 50}) {
    CAPTURE(beam);
    const auto found = run(beam, 0);
    REQUIRE(found.size() == std::min<std::size_t>(beam, 7));  // 3 that end, 4 that do not
    const std::vector<Symbols> in_order{{A}, {}, {B}, {B, A}, {A, B}, {A, A}, {B, B}};
    const double p[] = {.35, .2, .09, .18, .1, .05, .03};
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].symbols == in_order[i]);
      CHECK(found[i].finished == (i < 3));
      CHECK_THAT(found[i].log_probability, WithinAbs(std::log(p[i]), 1e-12));
      CHECK(found[i].score == found[i].log_probability);
    }
    CHECK_THAT(found[0].log_probability, WithinAbs(-1.049822, 1e-6));
    CHECK_THAT(found[1].log_probability, WithinAbs(-1.609438, 1e-6));
    CHECK_THAT(found[2].log_probability, WithinAbs(-2.407946, 1e-6));
  }
}

TEST_CASE("a hypothesis is ranked by its log-probability over its length to a power, the end counted") {
  const auto found = search(3, end, {.beam = 6, .max_length = 2, .length_power = 1}, by_hand);
  REQUIRE(found.size() == 6);
  CHECK(symbols_of(found) == std::vector<Symbols>{{A}, {B}, {}, {B, A}, {A, B}, {A, A}});
  CHECK_THAT(found[0].score, WithinAbs(std::log(.35) / 2, 1e-12));
  CHECK_THAT(found[1].score, WithinAbs(std::log(.09) / 2, 1e-12));
  CHECK_THAT(found[2].score, WithinAbs(std::log(.2), 1e-12));
  CHECK_THAT(found[3].score, WithinAbs(std::log(.18) / 2, 1e-12));
  const auto half = search(3, end, {.beam = 6, .max_length = 2, .length_power = 0.5}, by_hand);
  CHECK_THAT(half[0].score, WithinAbs(std::log(.35) / std::sqrt(2.0), 1e-12));
}

TEST_CASE("a beam of 1 is greedy decoding") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const auto next = [seed](const Symbols& written) { return at_random(seed, written); };
    Hypothesis greedy;
    while (!greedy.finished && greedy.symbols.size() < 6) {
      const auto p = next(greedy.symbols);
      const auto best = std::max_element(p.begin(), p.end());
      greedy.log_probability += std::log(*best);
      if (best == p.begin())
        greedy.finished = true;
      else
        greedy.symbols.push_back(static_cast<std::int32_t>(best - p.begin()));
    }
    greedy.score = greedy.log_probability;
    check_same(search(3, 0, {.beam = 1, .max_length = 6, .length_power = 0}, next), {greedy});
  }
}

TEST_CASE("a beam as wide as all sequences is brute force") {
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (const double length_power : {0.0, 0.7, 1.0})
      for (const std::size_t max_length : {1, 2, 5}) {
        CAPTURE(seed, length_power, max_length);
        const BeamOptions options{63, max_length, length_power};  // 1 + 2 + 4 + 8 + 16 that end, 32 that do not
        const auto next = [seed](const Symbols& written) { return at_random(seed, written); };
        check_same(search(3, 0, options, next), brute_force(0, options, next));
      }
}

TEST_CASE("a narrow beam returns the best it found, each once, and stops when enough have ended") {
  for (std::uint64_t seed = 0; seed < 50; ++seed)
    for (std::size_t beam = 1; beam < 9; ++beam) {
      CAPTURE(seed, beam);
      const auto next = [seed](const Symbols& written) { return at_random(seed, written); };
      const BeamOptions options{beam, 6, 1};
      const auto found = search(3, 0, options, next), all = brute_force(0, options, next);
      CHECK(found.size() <= beam);
      std::ptrdiff_t last = -1;  // each is one of all there are, and ranks behind the one before
      for (const Hypothesis& h : found) {
        const auto same = [&](const Hypothesis& o) { return o.symbols == h.symbols && o.finished == h.finished; };
        const auto place = std::ranges::find_if(all, same) - all.begin();
        REQUIRE(place < std::ssize(all));
        CHECK(place > last);
        CHECK_THAT(h.score, WithinAbs(all[static_cast<std::size_t>(place)].score, 1e-12));
        last = place;
      }
    }
  std::size_t steps = 0;
  const auto ends = [&](const Symbols& written) { return steps = written.size() + 1, std::vector{.1, .1, .8}; };
  CHECK(symbols_of(search(3, end, {.beam = 2, .max_length = 50, .length_power = 0}, ends)) ==
        std::vector<Symbols>{{}, {A}});
  CHECK(steps == 2);
}

TEST_CASE("ties: what ranked first before, then the smaller symbol") {
  const auto all_alike = [](const Symbols&) { return std::vector{.25, .25, .25, .25}; };
  const auto of_two = search(4, 3, {.beam = 2, .max_length = 3, .length_power = 0}, all_alike);
  CHECK(symbols_of(of_two) == std::vector<Symbols>{{0, 0, 0}, {0, 0, 1}});
  const auto of_six = search(4, 0, {.beam = 6, .max_length = 2, .length_power = 0}, all_alike);
  CHECK(symbols_of(of_six) == std::vector<Symbols>{{}, {1}, {2}, {1, 1}, {1, 2}, {1, 3}});
  // After B, which came second, is as likely as after A, which came first.
  const auto halves = [](const Symbols& written) {
    return written.empty() ? std::vector{.4, .4, .2} : std::vector{.3, .3, .4};
  };
  CHECK(symbols_of(search(3, 2, {.beam = 3, .max_length = 2, .length_power = 0}, halves)) ==
        std::vector<Symbols>{{}, {A}, {B}});
}

TEST_CASE("what is impossible is never taken, and the length runs out") {
  const auto only_a = [](const Symbols&) { return std::vector{1.0, 0.0, 0.0}; };
  const auto found = search(3, 2, {.beam = 5, .max_length = 4}, only_a);
  REQUIRE(found.size() == 1);
  CHECK(found[0].symbols == Symbols{0, 0, 0, 0});
  CHECK_FALSE(found[0].finished);
  CHECK(found[0].log_probability == 0);
  const auto ends_at_once = search(3, 0, {.beam = 5, .max_length = 4}, only_a);
  REQUIRE(ends_at_once.size() == 1);
  CHECK((ends_at_once[0].symbols.empty() && ends_at_once[0].finished));
  CHECK(search(3, 0, {}, [](const Symbols&) { return std::vector<double>(3); }).empty());
}

TEST_CASE("mistakes of the caller are refused") {
  CHECK(says(error_text([] { search(3, end, {.beam = 0}, by_hand); }), {"beam search", "at least 1"}));
  CHECK(says(error_text([] { search(3, end, {.max_length = 0}, by_hand); }), {"beam search", "length", "at least 1"}));
  CHECK(says(error_text([] { search(4, end, {}, by_hand); }), {"beam search", "3", "4"}));
  CHECK(says(error_text([] { search(std::size_t{3}, 3, {}, by_hand); }), {"eos is 3", "0 to 3 exclusive"}));
  CHECK(says(error_text([] { search(3, end, {.length_power = NAN}, by_hand); }), {"length power"}));
  const auto diverged = [](const Symbols&) { return std::vector{0.5, double{NAN}, 0.5}; };
  CHECK(says(error_text([&] { search(3, end, {}, diverged); }), {"symbol 1", "hypothesis 0", "NaN"}));
}
