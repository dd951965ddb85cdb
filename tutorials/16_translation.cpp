// 16. Translation: German sentences into English
//
// The example sentences of a dictionary, sixteen thousand pairs: few, and real. Fixed vector and attention
// with the same budget, BLEU by the sentence's length, alignments, and your own sentences on standard input.
// Words met fewer than three times are <unk>: so small a vocabulary is the price of so small a corpus.
// In the whole story: not run
#include <cmath>
#include <cstdio>
#include <iostream>

#include "layers/gru.hpp"
#include "models/bleu.hpp"
#include "models/dictionary_sentences.hpp"
#include "models/parallel_text.hpp"
#include "models/vocabulary.hpp"
#include "tutorials/maps.hpp"
#include "tutorials/program.hpp"
#include "tutorials/training.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Emb : Axis<128> {};
struct Hidden : Axis<192> {};
struct Scored : Axis<128> {};
using Reader = Bidirectional<Gru<Emb, Hidden>>;
using Fixed = EncoderDecoder<Reader, Decoder<Gru, Emb, Hidden, LastState<Reader::Hidden>>>;
using Attending =
    EncoderDecoder<Reader, Decoder<Gru, Emb, Hidden, Attention<AdditiveScore<Hidden, Reader::Hidden, Scored>>>>;

using Tokens = std::vector<std::string>;
using Sequences = std::vector<std::vector<int>>;
constexpr int bos = 2, eos = 3;
constexpr std::size_t longest = 30;  // tokens of a sentence that is learned or written

struct Sentences {
  std::vector<Tokens> german, english;
};

Sentences tokenised(std::span<const SentencePair> pairs) {
  Sentences s;
  for (const SentencePair& p : pairs) {
    Tokens german = tokens(p.german), english = tokens(p.english);
    if (german.size() > longest || english.size() > longest) continue;
    s.german.push_back(std::move(german));
    s.english.push_back(std::move(english));
  }
  return s;
}

Vocabulary vocabulary(const std::vector<Tokens>& sentences) {
  TokenCounts counts;
  for (const Tokens& s : sentences) counts.add_all(s);
  return counts.vocabulary({Special::pad, Special::unk, Special::bos, Special::eos}, {.minimum_count = 3});
}

struct Data {
  Sentences training, test;
  Vocabulary german, english;
  Sequences sources, targets;  // of the training part
};

Sequences encoded(const Vocabulary& vocabulary, const std::vector<Tokens>& sentences) {
  Sequences ids;
  for (const Tokens& s : sentences) ids.push_back(vocabulary.encode(s));
  return ids;
}

// The dictionary's sentences, or pairs of a file, a tab between them; one in twenty is held out.
Data read(const std::string& file) {
  std::vector<SentencePair> pairs;
  if (file.empty()) {
    pairs = read_dictionary_sentences();
  } else {
    for (const Pair& p : read_pairs(file)) pairs.push_back({p.source, p.target, pairs.size() + 1});
  }
  const SentenceParts parts = split_by_entry(pairs);
  const Sentences training = tokenised(parts.training), test = tokenised(parts.test);
  if (training.german.empty() || test.german.empty()) throw Error("too few sentences of at most 30 tokens to learn from");
  const Vocabulary german = vocabulary(training.german), english = vocabulary(training.english);
  return {training, test, german, english, encoded(german, training.german), encoded(english, training.english)};
}

struct Options {
  PairTrainerOptions training{.batch = 64, .rate = 2e-3, .smoothing = 0.1, .steps = 3000};
  std::string pairs;
  bool interactive = false, fresh = false;
};

template <class Model>
Model train(const std::string& name, const Data& data, const Options& options) {
  return tutorial::trained("16_" + name, Model::of(data.german.size(), data.english.size(), options.training.seed),
                           data.sources, data.targets, bos, eos, options.training, options.fresh);
}

std::vector<Tokens> spelled(const Vocabulary& vocabulary, const Sequences& sentences) {
  std::vector<Tokens> all;
  for (const auto& ids : sentences) {
    all.emplace_back();
    for (const int id : ids) all.back().emplace_back(vocabulary.spelling(id));
  }
  return all;
}

// Corpus BLEU of the sentences whose German has at least `least` and fewer than `end` tokens.
double score(const std::vector<Tokens>& translated, const Sentences& test, std::size_t least, std::size_t end) {
  std::vector<Tokens> hypotheses;
  std::vector<std::vector<Tokens>> references;
  for (std::size_t n = 0; n < translated.size(); ++n)
    if (test.german[n].size() >= least && test.german[n].size() < end) {
      hypotheses.push_back(translated[n]);
      references.push_back({test.english[n]});
    }
  return hypotheses.empty() ? NAN : bleu(hypotheses, references, {.smoothing = Smoothing::exp}).score;
}

std::string joined(const Tokens& tokens) {
  std::string text;
  for (const std::string& t : tokens) text += (text.empty() ? "" : " ") + t;
  return text;
}

// A translation, and where each of its words looked.
Tokens translate(const Attending& model, const Data& data, const Tokens& german, bool drawn) {
  const Sequences source{data.german.encode(german)};
  const auto best = beam(model, source[0], bos, eos, {.beam = 5, .max_length = longest}).front().symbols;
  const Tokens english = spelled(data.english, {best})[0];
  if (!drawn || best.empty()) return english;
  tutorial::draw(tutorial::alignment(model, PairBatch::of(source, Sequences{best}, bos, eos), best.size()),
                 "16_alignment", joined(german) + " - " + joined(english),
                 "each English word looks at the German one it comes from; where the order changes, the line does");
  return english;
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Translation from German into English: fixed vector and attention.");
  Options options;
  std::uint64_t steps = options.training.steps;
  program.option("--pairs", options.pairs, "a file of pairs, source TAB target, instead of the dictionary's sentences");
  program.option("--steps", steps, "training steps of each net, of 64 sentences each");
  program.option("--rate", options.training.rate, "Adam's learning rate at first");
  program.flag("--interactive", options.interactive, "translate the sentences on standard input, a line each");
  program.flag("--fresh", options.fresh, "train anew what is kept in out/");
  program.option("--seed", options.training.seed, "of the weights and the order of the sentences");
  return program.run(argc, argv, [&] {
    if (steps < 1 || !(options.training.rate >= 0)) throw Error("--steps must be at least 1, --rate at least 0");
    options.training.steps = steps;
    const Data data = read(options.pairs);
    if (options.interactive) {
      const Attending model = train<Attending>("attention", data, options);
      for (std::string line; std::getline(std::cin, line);)
        if (const Tokens german = tokens(line); !german.empty())
          std::printf("%s\n", joined(translate(model, data, german, false)).c_str());
      return;
    }
    std::printf("%zu sentence pairs to learn, %zu held out; %zu German and %zu English words.\n", data.sources.size(),
                data.test.german.size(), data.german.size(), data.english.size());
    std::vector<Tokens> translated[2];
    tutorial::in_parallel(2, [&](std::size_t job) {
      const Sequences test = encoded(data.german, data.test.german);
      const auto say = [&](const auto& model) { return tutorial::written(model, test, bos, eos, longest); };
      translated[job] = spelled(data.english, job == 0 ? say(train<Attending>("attention", data, options))
                                                       : say(train<Fixed>("fixed", data, options)));
    });
    if (tutorial::interrupted()) throw Error(tutorial::kept_for_later);
    tutorial::Table table("16_translation", {"German tokens", "attention", "fixed vector", "untranslated"});
    for (std::size_t length = 3; length <= 18; length += 3)
      table.row({static_cast<double>(length), score(translated[0], data.test, length, length + 3),
                 score(translated[1], data.test, length, length + 3), score(data.test.german, data.test, length, length + 3)});
    std::printf("\nBLEU (order 4, exp smoothing, one reference) by length, greedy, lengths from the one named on:\n");
    table.print();
    table.save({.title = "BLEU by the length of the sentence", .x = "German tokens", .y = "BLEU",
                .see = "from six tokens on attention is mostly ahead; short sentences gain nothing by it"});
    for (std::size_t n = 0; n < std::min<std::size_t>(5, data.test.german.size()); ++n)
      std::printf("\n  %s\n  attention: %s\n  fixed:     %s\n  reference: %s\n", joined(data.test.german[n]).c_str(),
                  joined(translated[0][n]).c_str(), joined(translated[1][n]).c_str(), joined(data.test.english[n]).c_str());
    options.fresh = false;
    translate(train<Attending>("attention", data, options), data, data.test.german[0], true);
    result(text("BLEU of attention %.1f, of the fixed vector %.1f (the German left as it is: %.1f)",
                score(translated[0], data.test, 0, 999), score(translated[1], data.test, 0, 999),
                score(data.test.german, data.test, 0, 999)));
  });
}
