// What was saved and does not fit the model is refused by name: tensors that only one of them has, a
// carried state of another cell. A padding row is loaded as it is.
#include <catch2/catch_test_macros.hpp>

#include "layers/combine.hpp"
#include "layers/lstm.hpp"
#include "layers/rnn.hpp"
#include "models/language_model.hpp"
#include "tests/error_text.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;

namespace {

struct Emb : Axis<2> {};
using Net = Rnn<Emb, Emb>;
template <std::size_t N>
struct Layers {
  using List = std::array<Net, N>;
  BOOST_HANA_DEFINE_STRUCT(Layers, (List, layers));
};

}  // namespace

TEST_CASE("a checkpoint must have what the model has, and no more under its name") {
  const TemporaryDirectory directory;
  const std::string file = directory.file("model.safetensors");
  Layers<2> two;
  Layers<3> three;
  Adam of_two, of_three;
  Checkpoint checkpoint;
  checkpoint.add("model", three);
  checkpoint.add("model2", two);
  checkpoint.add("optimizer", of_three, three);
  checkpoint.add("optimizer2", of_two, two);
  checkpoint.save(file);
  const SavedCheckpoint saved(file);

  const std::string model = error_text([&] { saved.load("model", two); });
  CHECK(says(model, {file, "model.layers.2.", "not in the model"}));
  const std::string optimizer = error_text([&] { saved.load("optimizer", of_two, two); });
  CHECK(says(optimizer, {file, "optimizer.layers.2.", "not in the model"}));
  CHECK(says(error_text([&] { saved.load("model2", three); }), {"no tensor", "model2.layers.2."}));
  CHECK(says(error_text([&] { saved.load("optimizer2", of_three, three); }), {"no tensor"}));
  CHECK_NOTHROW(saved.load("model", three));
  CHECK_NOTHROW(saved.load("model2", two));  // another name, though it begins alike
  Adam again;
  CHECK_NOTHROW(saved.load("optimizer2", again, two));

  Sgd plain;  // it remembers nothing, so what Adam did is not its own
  CHECK_THROWS_AS(saved.load("optimizer2", plain, two), Error);
}

TEST_CASE("a checkpoint's carried state must be one of the model's cell") {
  using Model = LanguageModel<Lstm<Emb, Emb>>;
  const TemporaryDirectory directory;
  const std::string file = directory.file("model.safetensors");
  const std::vector<int> text{0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const LanguageModelOptions options{.batch = 2, .window = 2};
  Model model = Model::of(2, 1);
  LanguageModelTrainer trainer(model, text, options);
  for (const bool stepped : {false, true}) {
    if (stepped) trainer.step();
    Checkpoint checkpoint;
    trainer.save(checkpoint);
    checkpoint.save(file);
    LanguageModelTrainer other(model, text, options);
    CHECK_NOTHROW(other.load(SavedCheckpoint(file)));
    for (const char* parts : {"1", "3", "18446744073709551615"}) {
      checkpoint.note("carried", parts);
      checkpoint.save(file);
      CHECK(says(error_text([&] { other.load(SavedCheckpoint(file)); }), {parts, "state has 2"}));
    }
  }
}

TEST_CASE("a padding row is loaded as the file has it, and stays frozen") {
  using Symbols = Embedding<Vocab, Emb>;
  const TemporaryDirectory directory;
  const std::string file = directory.file("model.safetensors");
  Symbols saved{Symbols::Table(extent<Vocab>(3))};
  initialise(saved, 1);  // without a padding: no row is 0
  const std::vector<float> row(saved.table.values().begin() + 2, saved.table.values().begin() + 4);
  Checkpoint checkpoint;
  checkpoint.add("symbols", saved);
  checkpoint.save(file);

  Symbols loaded{Symbols::Table(extent<Vocab>(3))};
  loaded.padding = 1;
  initialise(loaded, 1);
  CHECK(loaded.table.values()[2] == 0);
  SavedCheckpoint(file).load("symbols", loaded);
  const std::vector<std::int32_t> ids{1, 0, 1};
  Adam adam({.rate = 0.1, .weight_decay = 0.01});
  for (int step = 0; step < 100; ++step) {
    Tape tape;
    backward(Var(sum(square(loaded.lookup<Batch>(ids, extent<Batch>(3))))));
    adam.step(loaded);
    clear_gradients(loaded);
  }
  CHECK(std::equal(row.begin(), row.end(), loaded.table.values().begin() + 2));
  CHECK(loaded.table.values()[0] != saved.table.values()[0]);
}
