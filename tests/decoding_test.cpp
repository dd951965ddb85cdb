// Decoding with a model: beam search against greedy decoding, teacher forcing and brute force.
#include "models/decoding.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

struct Emb : Axis<3> {};
struct Hidden : Axis<4> {};
struct Inner : Axis<2> {};

using Shallow = EncoderDecoder<
    Unidirectional<Gru<Emb, Hidden, double>>,
    Decoder<Gru, Emb, Hidden, Attention<AdditiveScore<Hidden, Hidden, Inner, double>>>>;
using Deeper = EncoderDecoder<
    Unidirectional<Gru<Emb, Hidden, double>>,
    Decoder<Lstm, Emb, Hidden, Attention<DotScore<Hidden, double>>, 2, Asks::current>>;

constexpr int bos = 3, eos = 0;  // of the symbols 0 to 3
const std::vector<std::vector<int>> sources{{3, 1, 2}, {4}, {}, {5, 5, 0, 2, 1, 3, 4}}, no_targets(4);

/// A model whose next symbols are quite sure and depend on what was written.
template <class Model>
Model random_model(std::uint64_t seed) {
  auto model = Model::of(6, 4, seed);
  std::uint64_t n = 0;
  for_each_parameter(model, [&](const Path&, auto& p) { initialise_uniform(p, 2, Random{seed}.child(n++)); });
  return model;
}

/// The log-probability of what was written, and of its end if it has one, by teacher forcing.
template <class Model>
double rescored(const Model& model, const std::vector<int>& source, const std::vector<std::int32_t>& symbols,
                bool finished) {
  Tape tape;
  const std::vector<std::vector<int>> one{source}, target{{symbols.begin(), symbols.end()}};
  const auto log_p = log_softmax<TargetVocab>(model(PairBatch::of(one, target, bos, eos)).logits);
  double sum = 0;
  for (std::size_t t = 0; t < symbols.size(); ++t) sum += log_p.at(t, 0, symbols[t]);
  return finished ? sum + log_p.at(symbols.size(), 0, eos) : sum;
}

/// The scores of all sequences of at most `left` more symbols that end, and of those that do not.
template <class Model>
void score_all(const Model& model, const std::vector<int>& source, std::vector<std::int32_t>& symbols,
               std::size_t left, std::vector<std::pair<double, std::vector<std::int32_t>>>& ended) {
  ended.emplace_back(rescored(model, source, symbols, true), symbols);
  for (std::int32_t k = 1; k < 4 && left > 1; ++k) {
    symbols.push_back(k);
    score_all(model, source, symbols, left - 1, ended);
    symbols.pop_back();
  }
}

}  // namespace

TEMPLATE_TEST_CASE("teacher forcing gives each hypothesis the score it is returned with", "", Shallow, Deeper) {
  std::size_t ended = 0, others = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto model = random_model<TestType>(seed);
    for (const auto& source : sources)
      for (const double length_power : {0.0, 1.0}) {
        CAPTURE(seed, source, length_power);
        const auto found = beam(model, source, bos, eos, {.beam = 5, .max_length = 6, .length_power = length_power});
        REQUIRE(found.size() == 5);
        for (const Hypothesis& h : found) {
          CHECK_THAT(h.log_probability, WithinAbs(rescored(model, source, h.symbols, h.finished), 1e-9));
          const double length = static_cast<double>(h.symbols.size() + (h.finished ? 1 : 0));
          CHECK_THAT(h.score, WithinAbs(h.log_probability / std::pow(length, length_power), 1e-12));
          CHECK(length <= 6);
          CHECK((h.finished || length == 6));
          ++(h.finished ? ended : others);
        }
      }
  }
  CHECK(ended > 20);  // there were both
  CHECK(others > 20);
}

TEMPLATE_TEST_CASE("a beam of 1 is greedy decoding, of a sentence alone and in a batch", "", Shallow, Deeper) {
  std::size_t longest = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto model = random_model<TestType>(seed);
    const Written written = greedy(model, PairBatch::of(sources, no_targets, bos, eos), bos, eos, 6);
    for (std::size_t b = 0; b < sources.size(); ++b) {
      CAPTURE(seed, b);
      const auto found = beam(model, sources[b], bos, eos, {.beam = 1, .max_length = 6});
      REQUIRE(found.size() == 1);
      CHECK(found[0].symbols == written[b]);
      CHECK(found[0].finished == (written[b].size() < 6));
      longest = std::max(longest, written[b].size());
    }
  }
  CHECK(longest == 6);
}

TEST_CASE("a net: a beam as wide as all sequences is brute force") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    const auto model = random_model<Shallow>(seed);
    std::vector<std::pair<double, std::vector<std::int32_t>>> ended;
    std::vector<std::int32_t> none;
    score_all(model, sources[0], none, 4, ended);
    REQUIRE(ended.size() == 1 + 3 + 9 + 27);
    std::ranges::sort(ended, std::ranges::greater{});
    const auto found = beam(model, sources[0], bos, eos, {.beam = 40 + 81, .max_length = 4, .length_power = 0});
    REQUIRE(found.size() == 40 + 81);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].finished == (i < 40));
      if (i >= 40) continue;
      CHECK(found[i].symbols == ended[i].second);
      CHECK_THAT(found[i].log_probability, WithinAbs(ended[i].first, 1e-9));
    }
  }
}

TEST_CASE("a beam of 0 is refused, and nothing is written in no steps or for no sentences") {
  const auto model = random_model<Shallow>(1);
  CHECK_THROWS_AS(beam(model, sources[0], bos, eos, {.beam = 0}), Error);
  CHECK_THROWS_AS(beam(model, sources[0], bos, eos, {.max_length = 0}), Error);
  CHECK(greedy(model, PairBatch::of(sources, no_targets, bos, eos), bos, eos, 0) == Written(4));
  const std::vector<std::vector<int>> none;
  CHECK(greedy(model, PairBatch::of(none, none, bos, eos), bos, eos, 6).empty());
}

TEST_CASE("a model that has diverged, and an eos that is no symbol, are refused") {
  auto model = random_model<Shallow>(1);
  const PairBatch batch = PairBatch::of(sources, no_targets, bos, eos);
  for (const std::int32_t wrong : {-1, 4}) {
    CHECK(says(error_text([&] { greedy(model, batch, bos, wrong, 6); }), {"eos is", "0 to 4 exclusive"}));
    CHECK(says(error_text([&] { beam(model, sources[0], bos, wrong); }), {wrong < 0 ? "-1" : "eos is 4"}));
  }
  for (const double wrong : {double{NAN}, HUGE_VAL}) {
    {
      const auto edit = model.to_logits.bias.edit();
      model.to_logits.bias.var().value[2] = wrong;
    }
    CHECK(says(error_text([&] { greedy(model, batch, bos, eos, 6); }), {"step 0", "symbol 2", "row 0", "diverged"}));
    CHECK(says(error_text([&] { beam(model, sources[0], bos, eos); }), {"step 0", "symbol 2", "row 0", "diverged"}));
  }
}
