// Embeddings: the padding row, and ids outside the table.
#include <catch2/catch_test_macros.hpp>

#include "autodiff/backward.hpp"
#include "autodiff/module.hpp"
#include "autodiff/optimizers.hpp"
#include "autodiff/reductions.hpp"
#include "layers/embedding.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<> {};
struct In : Axis<3> {};
struct Vocab : Axis<> {};

}  // namespace

TEST_CASE("an embedding's padding row begins at 0, gets no gradient and never changes") {
  Embedding<Vocab, In, double> embedding{Parameter<double, Vocab, In>(extent<Vocab>(4))};
  embedding.padding = 2;
  initialise(embedding, 1);
  const std::vector<std::int32_t> ids{2, 0, 2, 3, 0};
  Adam adam({.rate = 0.1, .weight_decay = 0.01});
  for (int step = 0; step < 100; ++step) {
    Tape tape;
    backward(Var(sum(square(embedding.lookup<Batch>(ids, extent<Batch>(5)) - 1.0))));
    for (std::size_t k = 0; k < 3; ++k) REQUIRE(embedding.table.gradients()[2 * 3 + k] == 0);
    adam.step(embedding);
    clear_gradients(embedding);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(embedding.table.values()[2 * 3 + k] == 0);
    CHECK(embedding.table.values()[0 * 3 + k] > 0.9);
  }
  Tape tape;
  const std::vector<std::int32_t> outside{0, 4};
  CHECK_THROWS_AS((embedding.lookup<Batch>(outside, extent<Batch>(2))), Error);
}

TEST_CASE("the padding's gradient is exactly 0, however many there are") {
  Embedding<Vocab, In> embedding{Parameter<float, Vocab, In>(extent<Vocab>(3))};
  embedding.padding = 0;
  initialise(embedding, 1);
  for (std::size_t n = 1; n <= 2000; ++n) {
    Tape tape;
    backward(Var(sum(embedding.lookup<Batch>(std::vector<std::int32_t>(n, 0), extent<Batch>(n)))));
    const auto gradients = embedding.table.gradients();
    REQUIRE(std::all_of(gradients.begin(), gradients.end(), [](float g) { return g == 0; }));
  }
}

TEST_CASE("a row that moved before it became the padding does not move any more") {
  Embedding<Vocab, In> embedding{Parameter<float, Vocab, In>(extent<Vocab>(2))};
  initialise(embedding, 1);
  const std::vector<std::int32_t> ids{0, 1, 1};
  Adam adam({.rate = 0.1, .weight_decay = 0.01});
  const auto step = [&] {
    Tape tape;
    backward(Var(sum(square(embedding.lookup<Batch>(ids, extent<Batch>(3)) - 1.0))));
    adam.step(embedding);
    clear_gradients(embedding);
  };
  const std::vector<float> first(embedding.table.values().begin(), embedding.table.values().end());
  for (int i = 0; i < 10; ++i) step();
  const std::vector<float> before(embedding.table.values().begin(), embedding.table.values().end());
  REQUIRE(before[3] != first[3]);
  embedding.padding = 1;
  embedding.table.freeze_row(1);
  for (int i = 0; i < 100; ++i) step();
  CHECK(std::equal(before.begin() + 3, before.end(), embedding.table.values().begin() + 3));
  CHECK(embedding.table.values()[0] != before[0]);
}
