// 15. Graphemes to phonemes: how is a written word spoken?
//
// Letters in, phonemes out, 125,000 words of the CMU dictionary: no made-up task, and short enough for a
// fixed vector to have a chance. Four nets of one size and one budget: fixed vector or attention, one or
// two directions. Compared with Yao and Zweig 2015 (over an alignment) and Toshniwal and Livescu 2016
// (attention). In the whole story: --short
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "layers/gru.hpp"
#include "models/edit_distance.hpp"
#include "models/spoken_words.hpp"
#include "models/text.hpp"
#include "tutorials/maps.hpp"
#include "tutorials/program.hpp"
#include "tutorials/training.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Emb : Axis<64> {};
struct Hidden : Axis<160> {};
struct Scored : Axis<96> {};
using One = Unidirectional<Gru<Emb, Hidden>>;
using Two = Bidirectional<Gru<Emb, Hidden>>;
template <class Reader>
using Fixed = EncoderDecoder<Reader, Decoder<Gru, Emb, Hidden, LastState<typename Reader::Hidden>>>;
template <class Reader>
using Attending =
    EncoderDecoder<Reader, Decoder<Gru, Emb, Hidden, Attention<AdditiveScore<Hidden, typename Reader::Hidden, Scored>>>>;

using Sequences = std::vector<std::vector<int>>;
constexpr int bos = 1, eos = 2;
constexpr std::size_t longest = 40;  // phonemes a word may have

struct Options {
  PairTrainerOptions training{.batch = 64, .rate = 3e-3, .steps = 12000};
  std::string word;
  bool brief = false, fresh = false;
};

template <class Model>
Model train(const std::string& name, const SpokenWordData& data, const Options& options) {
  const SpokenWords::Pairs pairs = data.training.pairs();
  return tutorial::trained("15_" + name + (options.brief ? "_short" : ""),
                           Model::of(data.letters.size(), data.phonemes.size(), options.training.seed), pairs.letters,
                           pairs.phonemes, bos, eos, options.training, options.fresh);
}

struct Net {
  std::string name;
  Sequences said;
};

// Phonemes wrong or words wrong, in per cent, of the words that have at least `least` and fewer than `end` letters.
using Rate = double (*)(std::span<const std::vector<int>>, std::span<const Sequences>);

double wrong(Rate rate, const Net& net, const SpokenWords& words, std::size_t least = 0, std::size_t end = 99) {
  Sequences said;
  std::vector<Sequences> spoken;
  for (const std::size_t w : words.with_letters(least, end)) {
    said.push_back(net.said[w]);
    spoken.push_back(words.spoken[w]);
  }
  return said.empty() ? NAN : 100 * rate(said, spoken);
}

void report(const std::vector<Net>& nets, const SpokenWords& words) {
  constexpr std::size_t groups[] = {1, 5, 7, 9, 11, 99};  // where groups of words by letters begin
  std::printf("\n%zu words never trained on, by length in letters; any of a word's pronunciations counts.\n", words.size());
  for (const auto& [what, rate] : {std::pair<const char*, Rate>{"phonemes", error_rate}, {"words", word_error_rate}}) {
    std::printf("%8s wrong, %%       all |  1 to 4    5, 6    7, 8   9, 10  longer\n", what);
    for (const Net& net : nets) {
      std::printf("%-20s %6.1f |", net.name.c_str(), wrong(rate, net, words));
      for (std::size_t g = 0; g < 5; ++g) std::printf(" %7.1f", wrong(rate, net, words, groups[g], groups[g + 1]));
      std::printf("\n");
    }
  }
  std::printf("Published, words wrong: 23.55 (Yao and Zweig 2015, bidirectional LSTM over an alignment), 20.24 (Toshniwal and\n"
              "Livescu 2016, attention, several nets together); on an older edition of the dictionary, split otherwise, and\n"
              "with many more steps of larger nets.\n");
  std::vector<std::string> columns{"letters"};
  for (const Net& net : nets) columns.push_back(net.name);
  tutorial::Table table("15_pronunciation", columns);
  for (std::size_t length = 3; length <= 14; ++length) {
    std::vector<double> row{static_cast<double>(length)};
    for (const Net& net : nets) row.push_back(wrong(word_error_rate, net, words, length, length + 1));
    table.row(row);
  }
  table.save({.title = "Words pronounced wrongly, by length", .x = "letters", .y = "% of words",
              .see = "with the length of the word the fixed vector falls behind attention"});
}

// Where each phoneme looked.
void pronounce(const Attending<Two>& model, const SpokenWordData& data, const std::string& word) {
  const Sequences letters{data.letters.encode(characters(word))};
  const Sequences said = tutorial::written(model, letters, bos, eos, longest);
  std::printf("\n%s is pronounced %s\n", word.c_str(), data.phonemes.decode(said[0], " ").c_str());
  if (said[0].empty()) return;  // a net that has learned too little
  tutorial::draw(tutorial::alignment(model, PairBatch::of(letters, said, bos, eos), said[0].size()), "15_alignment",
                 "Where the phonemes of " + word + " look",
                 "each phoneme looks at its letters, along the diagonal and past the silent ones");
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Graphemes to phonemes: fixed vector and attention, one and two directions.");
  Options options;
  std::uint64_t steps = options.training.steps;
  program.option("--word", options.word, "pronounce this word, by the net with attention and two directions");
  program.option("--steps", steps, "training steps of each net, of 64 words each");
  program.option("--rate", options.training.rate, "Adam's learning rate at first");
  program.flag("--short", options.brief, "a minute: 1000 steps at most, and only the nets with two directions");
  program.flag("--fresh", options.fresh, "train anew what is kept in out/");
  program.option("--seed", options.training.seed, "of the weights and the order of the words");
  return program.run(argc, argv, [&] {
    if (steps < 1 || !(options.training.rate >= 0)) throw Error("--steps must be at least 1, --rate at least 0");
    options.training.steps = options.brief ? std::min<std::uint64_t>(steps, 1000) : steps;
    const SpokenWordData data = SpokenWordData::of(read_pronunciations().words);
    for (const std::string_view c : characters(options.word))
      if (!data.letters.contains(c)) throw Error("--word: " + std::string(c) + " is no letter from a to z");
    if (!options.word.empty()) return pronounce(train<Attending<Two>>("attention_two", data, options), data, options.word);

    std::vector<Net> nets(options.brief ? 2 : 4);
    tutorial::in_parallel(nets.size(), [&](std::size_t job) {
      const auto say = [&](const auto& model) { return tutorial::written(model, data.test.letters, bos, eos, longest); };
      nets[job] = job == 0   ? Net{"attention, two", say(train<Attending<Two>>("attention_two", data, options))}
                  : job == 1 ? Net{"fixed, two", say(train<Fixed<Two>>("fixed_two", data, options))}
                  : job == 2 ? Net{"attention, one", say(train<Attending<One>>("attention_one", data, options))}
                             : Net{"fixed, one", say(train<Fixed<One>>("fixed_one", data, options))};
    });
    if (tutorial::interrupted()) throw Error(tutorial::kept_for_later);
    nets.push_back({"letter by letter", letter_by_letter(data.training, data.test.letters)});
    report(nets, data.test);
    options.fresh = false;
    pronounce(train<Attending<Two>>("attention_two", data, options), data, "thoroughly");
    result(text("words wrong after %zu steps: attention %.1f %%, fixed vector %.1f %% (letter by letter %.1f %%)",
                options.training.steps, wrong(word_error_rate, nets[0], data.test),
                wrong(word_error_rate, nets[1], data.test), wrong(word_error_rate, nets.back(), data.test)));
  });
}
