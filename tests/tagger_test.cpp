// The tagger: batches, one direction and two, accuracy.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

#include "autodiff/gradcheck.hpp"
#include "layers/gru.hpp"
#include "layers/rnn.hpp"
#include "models/tagger.hpp"

using namespace hindsight;
using Catch::Approx;

namespace {

struct Emb : Axis<3> {};
struct Hidden : Axis<4> {};

TaggedBatch small_batch() {
  const std::vector<std::vector<int>> symbols{{0, 1, 2}, {}, {3}}, tags{{1, 0, 1}, {}, {2}};
  return TaggedBatch::of(symbols, tags);
}

}  // namespace

TEST_CASE("sentences side by side, position by position") {
  const TaggedBatch batch = small_batch();
  CHECK(batch.positions() == 3);
  CHECK(batch.lengths == std::vector<std::size_t>{3, 0, 1});
  CHECK(batch.symbols == std::vector<std::int32_t>{0, 0, 3, 1, 0, 0, 2, 0, 0});
  CHECK(batch.tags == std::vector<std::int32_t>{1, -1, 2, 0, -1, -1, 1, -1, -1});
  const std::vector<std::vector<int>> two{{0, 1}}, one{{0}};
  CHECK_THROWS_AS(TaggedBatch::of(two, one), Error);
}

TEST_CASE("a tagger of two directions passes the gradient check from its loss") {
  auto model = Tagger<Bidirectional<Gru<Emb, Hidden, double>>>::of(4, 3, 1);
  const TaggedBatch batch = small_batch();
  const auto report = check_gradients([&] { return cross_entropy<Tags>(model(batch), batch.tags); }, model);
  INFO(report.text());
  CHECK(report.ok());
}

TEST_CASE("a tagger learns to tag") {
  auto model = Tagger<Unidirectional<Rnn<Emb, Hidden>>>::of(4, 3, 1);
  const TaggedBatch batch = small_batch();
  Adam adam({.rate = 0.05});
  Tape tape;
  const double first = train_step(model, batch, adam, tape, 1);
  for (int i = 0; i < 100; ++i) train_step(model, batch, adam, tape, 1);
  CHECK(train_step(model, batch, adam, tape, 1) < 0.05 * first);
  CHECK(tag_accuracy(model.tags(batch), batch.tags) == 1);
}

TEST_CASE("accuracy counts what is to be counted") {
  const std::vector<std::int32_t> found{0, 1, 2, 2}, expected{0, -1, 1, 2}, none{-1, -1, -1, -1};
  CHECK(tag_accuracy(found, expected) == Approx(2.0 / 3));
  CHECK(tag_accuracy(found, none) == 0);
  CHECK_THROWS_AS(tag_accuracy(found, std::vector<std::int32_t>{0}), Error);
}
