// 7. A character language model on a real text
//
// The next character from all before it, through one state of fixed size. RNN, LSTM and GRU at equal
// parameter count, in bits a character on a part of the text that none was trained on, beside what
// counting single characters and triples of them gives. The default text is the King James Bible.
#include <cstdio>
#include <filesystem>

#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "layers/rnn.hpp"
#include "models/bible.hpp"
#include "models/checkpoint.hpp"
#include "models/language_model.hpp"
#include "models/ngram.hpp"
#include "models/text.hpp"
#include "models/vocabulary.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Emb : Axis<32> {};
struct RnnHidden : Axis<256> {};   // sizes at which the three have as many parameters,
struct LstmHidden : Axis<128> {};  // within one part in a hundred
struct GruHidden : Axis<148> {};

struct Options {
  std::string text, cell = "all";
  LanguageModelOptions training{.batch = 64, .window = 64, .rate = 0, .steps = 1500};
  double temperature = 0.7;
  std::uint64_t sample = 300;
  bool resume = false;
};

struct Text {
  Vocabulary vocabulary;
  std::vector<int> training, held_out;
};

// The last twentieth is held out, at least a window of each stream; the vocabulary is that of the whole text.
Text read(const Options& options) {
  const std::string content = options.text.empty() ? read_bible() : read_text(options.text);
  TokenCounts counts;
  counts.add_all(characters(content));
  Text t{counts.vocabulary(), {}, {}};
  const std::vector<int> ids = t.vocabulary.encode(characters(content));
  const std::size_t cut = ids.size() - ids.size() / 20;
  const std::size_t needed = 20 * 16 * 2 + options.training.batch * (options.training.window + 1);
  if (ids.size() < needed)
    throw Error(text("%s: %zu characters are too few, at least %zu are needed", options.text.c_str(), ids.size(), needed));
  t.training.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(cut));
  t.held_out.assign(ids.begin() + static_cast<std::ptrdiff_t>(cut), ids.end());
  return t;
}

struct Outcome {
  double bits = 0;
  std::size_t parameters = 0, steps = 0;
  std::string sample;
};

template <class Cell>
Outcome train(const std::string& name, double own_rate, const Text& t, const Options& options) {
  LanguageModelOptions training = options.training;
  if (training.rate == 0) training.rate = own_rate;
  const std::string file = "out/07_" + name + ".safetensors";
  auto model = LanguageModel<Cell>::of(t.vocabulary.size(), training.seed);
  LanguageModelTrainer<Cell> trainer(model, t.training, training);
  if (options.resume && std::filesystem::exists(file)) {
    const SavedCheckpoint saved(file);
    if (saved.text("vocabulary") != t.vocabulary.to_json())
      throw Error(file + ": it was trained on another text; without --resume it is written anew");
    trainer.load(saved);
    std::printf("%s goes on from step %zu\n", name.c_str(), trainer.done());
  }
  const auto save = [&] {
    Checkpoint checkpoint({{"vocabulary", t.vocabulary.to_json()}});
    trainer.save(checkpoint);
    checkpoint.save(file);
  };

  const std::size_t steps = trainer.done();
  tutorial::Progress progress(name, training.steps);
  double recent = 0;
  while (trainer.done() < training.steps && !tutorial::interrupted()) {
    const double bits = trainer.step();
    recent = recent == 0 ? bits : 0.98 * recent + 0.02 * bits;
    progress.show(trainer.done(), text("%.3f bits", recent));
    if (trainer.done() % 500 == 0) save();
  }
  if (steps < trainer.done()) save();
  Outcome outcome{bits_per_symbol(model, t.held_out), parameter_count(model), trainer.done(), ""};
  const int space = t.vocabulary.contains(" ") ? t.vocabulary.id(" ") : 0;
  outcome.sample = t.vocabulary.decode(sample(model, {space}, options.sample, options.temperature, training.seed));
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("A character language model: RNN, LSTM and GRU at equal parameter count.");
  Options options;
  std::uint64_t steps = options.training.steps;
  program.option("--text", options.text, "a UTF-8 file to learn, instead of the King James Bible");
  program.option("--cell", options.cell, "rnn, lstm, gru or all");
  program.option("--steps", steps, "training steps, of 64 streams of 64 characters each");
  program.option("--rate", options.training.rate, "Adam's learning rate at first; 0: each cell's own");
  program.option("--temperature", options.temperature, "of the sample: 0 is the likeliest, 1 as learned");
  program.option("--sample", options.sample, "characters in the sample");
  program.flag("--resume", options.resume, "go on from out/07_CELL.safetensors");
  program.option("--seed", options.training.seed, "of the weights and the sample");
  return program.run(argc, argv, [&] {
    options.training.steps = steps;
    if (options.cell != "all" && options.cell != "rnn" && options.cell != "lstm" && options.cell != "gru")
      throw Error("--cell: " + options.cell + " is not rnn, lstm, gru or all");
    if (steps < 1 || !(options.training.rate >= 0) || !(options.temperature >= 0))
      throw Error("--steps must be at least 1, --rate and --temperature at least 0");
    const Text t = read(options);
    std::filesystem::create_directories("out");
    const double unigram = Ngram(1, t.vocabulary.size(), t.training).bits(t.held_out);
    const double trigram = Ngram(3, t.vocabulary.size(), t.training).bits(t.held_out);
    std::printf("%zu characters to learn, %zu held out, %zu different ones.\n", t.training.size(), t.held_out.size(),
                t.vocabulary.size());
    std::printf("Counting: unigram %.3f bits a character, trigram %.3f.\n", unigram, trigram);

    const std::vector<std::string> all{"lstm", "gru", "rnn"};
    std::vector<std::string> cells = options.cell == "all" ? all : std::vector{options.cell};
    std::vector<Outcome> outcomes(cells.size());
    tutorial::in_parallel(cells.size(), [&](std::size_t job) {
      const std::string& cell = cells[job];
      // Each rate was the best of three or more for its cell, by the held-out text after 800 steps.
      outcomes[job] = cell == "lstm"  ? train<Lstm<Emb, LstmHidden>>(cell, 0.016, t, options)
                      : cell == "gru" ? train<Gru<Emb, GruHidden>>(cell, 0.016, t, options)
                                      : train<Rnn<Emb, RnnHidden>>(cell, 0.004, t, options);
    });

    std::printf("\nBits a character on held-out text:\n  unigram %10.3f\n  trigram %10.3f\n", unigram, trigram);
    std::string summary;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::printf("  %-7s %10.3f   %zu parameters, %zu steps\n", cells[i].c_str(), outcomes[i].bits, outcomes[i].parameters,
                  outcomes[i].steps);
      summary += text("%s %.3f, ", cells[i].c_str(), outcomes[i].bits);
    }
    for (std::size_t i = 0; i < cells.size(); ++i)
      std::printf("\nA sample of %s at temperature %.2g:\n%s\n", cells[i].c_str(), options.temperature, outcomes[i].sample.c_str());
    result(text("%sbits a character (trigram %.3f, unigram %.3f)%s", summary.c_str(), trigram, unigram,
                tutorial::interrupted() ? ", interrupted: go on with --resume" : ""));
  });
}
