// Training on pairs: stopping anywhere and going on, bit for bit; what is refused; the rate's schedule.
#include "models/pair_trainer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "layers/gru.hpp"
#include "tests/error_text.hpp"
#include "tests/kernel_data.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;

namespace {

struct Emb : Axis<3> {};
struct Hidden : Axis<4> {};
using Net = EncoderDecoder<Unidirectional<Gru<Emb, Hidden>>, Decoder<Gru, Emb, Hidden, Attention<DotScore<Hidden>>>>;

constexpr int bos = 1, eos = 2;
const std::vector<std::vector<int>> sources{{3, 4}, {5}, {}, {3, 3, 4, 5}, {4, 5}, {5, 3, 4}, {3}},
    targets{{4, 3}, {3}, {5}, {}, {3, 3, 3}, {5}, {4, 4}};
constexpr PairTrainerOptions options{.batch = 2, .rate = 1e-2, .smoothing = 0.1, .steps = 11, .seed = 5};

Net net() {
  auto model = Net::of(6, 6, 1);
  model.decoder.dropout[0].rate = 0.5;
  return model;
}

std::vector<float> values(Net& model) {
  std::vector<float> all;
  for_each_parameter(model, [&](const Path&, auto& p) {
    const auto own = p.var().values();
    all.insert(all.end(), own.begin(), own.end());
  });
  return all;
}

/// The parameters after all steps, of which some are taken by another trainer, from a file.
std::vector<float> trained(std::size_t before_the_break) {
  const TemporaryDirectory directory;
  auto model = net();
  PairTrainer trainer(model, sources, targets, bos, eos, options);
  while (trainer.done() < before_the_break) trainer.step();
  Checkpoint checkpoint;
  trainer.save(checkpoint);
  checkpoint.save(directory.file("half"));
  auto fresh = net();
  PairTrainer other(fresh, sources, targets, bos, eos, options);
  other.load(SavedCheckpoint(directory.file("half")));
  CHECK(other.done() == before_the_break);
  while (other.done() < options.steps) other.step();
  return values(fresh);
}

}  // namespace

TEST_CASE("a run that stopped anywhere, within an epoch or between two, goes on bit for bit") {
  const std::vector<float> at_once = trained(0);
  for (std::size_t step = 1; step <= options.steps; ++step) {
    CAPTURE(step);
    CHECK(same_bits(trained(step), at_once));
  }
}

TEST_CASE("two trainers at work in turn do not disturb each other") {
  auto a = net(), b = net();
  PairTrainer first(a, sources, targets, bos, eos, options), second(b, sources, targets, bos, eos, options);
  while (first.done() < options.steps) CHECK(first.step() == second.step());
  CHECK(same_bits(values(a), trained(0)));
  CHECK(same_bits(values(b), trained(0)));
}

TEST_CASE("an epoch has each pair once") {
  auto model = net();
  CHECK(PairTrainer(model, sources, targets, bos, eos, options).steps_an_epoch() == 4);
}

TEST_CASE("no pairs, and as many targets as not, are refused; so is a checkpoint of another model") {
  auto model = net();
  const std::vector<std::vector<int>> none, one(1);
  CHECK(says(error_text([&] { PairTrainer(model, none, none, bos, eos, options); }), {"0 sources and 0 targets"}));
  CHECK(says(error_text([&] { PairTrainer(model, sources, one, bos, eos, options); }), {"7 sources and 1 targets"}));
  const TemporaryDirectory directory;
  Checkpoint checkpoint;
  PairTrainer(model, sources, targets, bos, eos, options).save(checkpoint);
  checkpoint.save(directory.file("of six"));
  auto larger = Net::of(7, 6, 1);
  PairTrainer trainer(larger, sources, targets, bos, eos, options);
  CHECK(says(error_text([&] { trainer.load(SavedCheckpoint(directory.file("of six"))); }), {"source.table"}));
}

TEST_CASE("the rate falls from 1 along a half cosine towards a tenth") {
  CHECK(half_cosine(0, 100) == 1);
  CHECK(std::abs(half_cosine(50, 100) - 0.55) < 1e-15);
  CHECK(std::abs(half_cosine(100, 100) - 0.1) < 1e-15);
  CHECK(std::abs(half_cosine(1000, 100) - 0.1) < 1e-15);
  for (std::size_t t = 0; t < 100; ++t) CHECK(half_cosine(t + 1, 100) < half_cosine(t, 100));
}
