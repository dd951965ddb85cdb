// The language model: what it computes, what training does, going on bit for bit, sampling, counting.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "layers/lstm.hpp"
#include "models/language_model.hpp"
#include "models/ngram.hpp"
#include "tests/error_text.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;
using Catch::Approx;

namespace {

struct Emb : Axis<4> {};
struct Hidden : Axis<8> {};
using Model = LanguageModel<Lstm<Emb, Hidden>>;

// 0 1 2 0 1 2 ...: after each symbol only one can come.
std::vector<int> round_and_round(std::size_t n) {
  std::vector<int> text(n);
  for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<int>(i % 3);
  return text;
}

std::vector<float> all_values(const Model& model) {
  std::vector<float> all;
  for_each_parameter(model, [&](const Path&, const auto& p) {
    all.insert(all.end(), p.values().begin(), p.values().end());
  });
  return all;
}

}  // namespace

TEST_CASE("windows follow on from each other in every stream") {
  std::vector<int> text(23);
  for (int i = 0; i < 23; ++i) text[static_cast<std::size_t>(i)] = i;
  TextWindows windows(text, 2, 3);  // streams 0..10 and 11..21
  REQUIRE(windows.size() == 3);
  CHECK(std::vector<int>(windows.inputs(0).begin(), windows.inputs(0).end()) == std::vector{0, 11, 1, 12, 2, 13});
  CHECK(std::vector<int>(windows.targets(0).begin(), windows.targets(0).end()) == std::vector{1, 12, 2, 13, 3, 14});
  CHECK(windows.inputs(1)[0] == 3);
  CHECK(windows.targets(2)[5] == 20);
  CHECK((windows.steps(2) == 3 && windows.steps(3) == 1 && windows.steps(4) == 0));
  CHECK(std::vector<int>(windows.inputs(3).begin(), windows.inputs(3).end()) == std::vector{9, 20});
  CHECK(std::vector<int>(windows.targets(3).begin(), windows.targets(3).end()) == std::vector{10, 21});
  CHECK_THROWS_AS(TextWindows(text, 6, 3), Error);
  CHECK_THROWS_AS(TextWindows(text, 0, 3), Error);
}

TEST_CASE("an untrained model is as good as guessing, a trained one knows") {
  const auto text = round_and_round(600);
  Model model = Model::of(3, 1);
  CHECK(bits_per_symbol(model, text, 2) == Approx(std::log2(3)).margin(0.2));
  LanguageModelTrainer trainer(model, text, {.batch = 4, .window = 10, .rate = 2e-2, .steps = 100});
  for (int i = 0; i < 100; ++i) trainer.step();
  CHECK(bits_per_symbol(model, text, 2) < 0.05);
  CHECK(sample(model, {0, 1}, 5, 0, 1) == std::vector{2, 0, 1, 2, 0});
}

TEST_CASE("evaluation gives the same bits whatever the window") {
  const auto text = round_and_round(241);
  const Model model = Model::of(3, 5);
  const double whole = bits_per_symbol(model, text, 1, 240);
  CHECK(bits_per_symbol(model, text, 1, 7) == Approx(whole).epsilon(1e-5));  // 34 windows and 2 steps
  CHECK(bits_per_symbol(model, text, 1, 239) == Approx(whole).epsilon(1e-5));
  CHECK(bits_per_symbol(model, text, 1, 1000) == whole);
  CHECK(bits_per_symbol(model, text, 1, 60) == Approx(whole).epsilon(1e-5));
}

TEST_CASE("evaluation counts the end of the text, and of a short one what there is") {
  const Model model = Model::of(3, 5);
  auto text = round_and_round(121);  // 6 streams of 20 and one symbol that is not counted
  const double bits = bits_per_symbol(model, text, 6, 10);
  text.back() = 2;
  CHECK(bits_per_symbol(model, text, 6, 10) == bits);
  text[119] = 0;  // the last symbol of the last stream, in a window of 9 steps
  CHECK(bits_per_symbol(model, text, 6, 10) != bits);

  for (const std::size_t n : {2, 3, 16, 20, 31, 32, 33}) {
    CAPTURE(n);
    CHECK(bits_per_symbol(model, round_and_round(n)) == Approx(std::log2(3)).margin(0.5));
  }
  CHECK(bits_per_symbol(model, round_and_round(7), 16) == bits_per_symbol(model, round_and_round(7), 3));
  for (const std::size_t n : {0, 1})
    CHECK(says(error_text([&] { bits_per_symbol(model, round_and_round(n)); }), {"symbols has none", "at least 2"}));
  CHECK_THROWS_AS(bits_per_symbol(model, text, 0), Error);
  CHECK_THROWS_AS(bits_per_symbol(model, text, 1, 0), Error);
}

TEST_CASE("a run that was saved and loaded goes on bit for bit") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("model.safetensors");
  const auto text = round_and_round(500);
  const LanguageModelOptions options{.batch = 3, .window = 7, .rate = 1e-2, .steps = 40};

  Model straight = Model::of(3, 1);
  LanguageModelTrainer trainer(straight, text, options);
  std::vector<double> losses;
  for (int i = 0; i < 40; ++i) losses.push_back(trainer.step());

  Model first = Model::of(3, 1);
  {
    LanguageModelTrainer half(first, text, options);
    for (int i = 0; i < 17; ++i) CHECK(half.step() == losses[static_cast<std::size_t>(i)]);
    Checkpoint checkpoint;
    half.save(checkpoint);
    checkpoint.save(file);
  }
  Model second = Model::of(3, 99);
  LanguageModelTrainer rest(second, text, options);
  rest.load(SavedCheckpoint(file));
  CHECK(rest.done() == 17);
  for (std::size_t i = 17; i < 40; ++i) REQUIRE(rest.step() == losses[i]);
  CHECK(all_values(second) == all_values(straight));
}

TEST_CASE("a checkpoint of another model is refused by name and shape") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("model.safetensors");
  Model three = Model::of(3, 1), four = Model::of(4, 1);
  Checkpoint checkpoint;
  checkpoint.add("model", three);
  checkpoint.save(file);
  try {
    SavedCheckpoint(file).load("model", four);
    FAIL("it was taken");
  } catch (const Error& error) {
    CHECK(std::string(error.what()).find("model.embedding.table") != std::string::npos);
    CHECK(std::string(error.what()).find("[3, 4]") != std::string::npos);
  }
  CHECK_THROWS_AS(SavedCheckpoint(file).load("other", three), Error);
  CHECK_THROWS_AS(SavedCheckpoint(file).text("vocabulary"), Error);
  CHECK_THROWS_AS(SavedCheckpoint(directory.file("missing")), Error);
}

TEST_CASE("drawing follows the distribution") {
  const std::vector<double> logits{std::log(0.2), std::log(0.5), std::log(0.3)};
  CHECK(draw(logits, 1, 0.19) == 0);
  CHECK(draw(logits, 1, 0.21) == 1);
  CHECK(draw(logits, 1, 0.69) == 1);
  CHECK(draw(logits, 1, 0.71) == 2);
  CHECK(draw(logits, 0, 0.99) == 1);
  CHECK(draw(logits, 0.5, 0.04 / 0.38 - 0.01) == 0);  // squares: 0.04, 0.25, 0.09
  CHECK(draw(logits, 0.5, 0.04 / 0.38 + 0.01) == 1);
  Model model = Model::of(3, 1);
  CHECK_THROWS_AS(sample(model, {0}, 3, -1, 1), Error);
  CHECK_THROWS_AS(sample(model, {0}, 3, std::numeric_limits<double>::quiet_NaN(), 1), Error);
  CHECK_THROWS_AS(sample(model, {}, 3, 1, 1), Error);
  CHECK(sample(model, {0}, 20, 1, 1) == sample(model, {0}, 20, 1, 1));
  initialise_constant(model.to_logits.bias, std::numeric_limits<double>::quiet_NaN());
  CHECK_THROWS_AS(sample(model, {0}, 3, 1, 1), Error);
}

TEST_CASE("logits that are no distribution are refused") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (const double temperature : {0.0, 1.0}) {
    const auto refused = [&](std::vector<double> logits) {
      return error_text([&] { draw(logits, temperature, 0.5); });
    };
    CHECK(says(refused({0, not_a_number, 2}), {"symbol 1", "NaN"}));
    CHECK(says(refused({not_a_number, 1}), {"symbol 0", "NaN"}));
    CHECK(says(refused({0, 1, infinity}), {"symbol 2", "inf"}));
    CHECK(says(refused({-infinity, -infinity}), {"-inf"}));
    CHECK(says(refused({}), {"no symbol"}));
    CHECK(draw(std::vector{-infinity, 1.0, -infinity}, temperature, 0.5) == 1);  // what cannot come is not drawn
  }
}

TEST_CASE("n-grams by hand") {
  const std::vector<int> text{0, 1, 0, 1, 0};
  const Ngram unigram(1, 2, text);  // N = 5, D = 2: p(0) = (3 + 2/2) / 7
  CHECK(unigram.probability(text, 0) == Approx(4.0 / 7));
  CHECK(unigram.probability(text, 1) == Approx(3.0 / 7));
  const Ngram bigram(2, 2, text);  // after 0: N = 2, D = 1, always 1
  CHECK(bigram.probability(text, 1) == Approx((2 + 3.0 / 7) / 3));
  const std::vector<int> other{0, 0};
  CHECK(bigram.probability(other, 1) == Approx((0 + 4.0 / 7) / 3));
  CHECK(unigram.bits(other) == Approx(-std::log2(4.0 / 7)));
  for (std::size_t order = 1; order <= 3; ++order) {  // probabilities of a context add up to 1
    const Ngram model(order, 2, text);
    const std::vector<int> a{1, 0, 0}, b{1, 0, 1};
    CHECK(model.probability(a, 2) + model.probability(b, 2) == Approx(1));
  }
  CHECK_THROWS_AS(Ngram(0, 2, text), Error);
  CHECK_THROWS_AS(Ngram(1, 1, text), Error);
}
