// 8. Sequence labelling: what one direction cannot know
//
// One tag a position, from its own h_i. Half of the tags here need the sentence's first symbol, which
// a reader from left to right has seen; the others need its last, which is still to come. At those,
// one direction can only guess among four; two directions know.
#include <algorithm>
#include <cstdio>

#include "layers/lstm.hpp"
#include "models/tagger.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Emb : Axis<16> {};
struct Hidden : Axis<64> {};
using Cell = Lstm<Emb, Hidden>;
constexpr int symbols = 4;  // a, b, c, d

struct Sentences {
  std::vector<std::vector<int>> read, tags;
};

// tag_i = x_i + x_first (mod 4) at odd positions, x_i + x_last (mod 4) at even ones; 5 to 15 symbols.
Sentences draw_sentences(std::size_t count, const Random& random) {
  Sentences s;
  for (std::size_t n = 0; n < count; ++n) {
    const Random mine = random.child(n);
    const std::size_t length = 5 + mine.below(11, 1000);
    std::vector<int> x(length), tag(length);
    for (std::size_t i = 0; i < length; ++i) x[i] = static_cast<int>(mine.below(symbols, i));
    for (std::size_t i = 0; i < length; ++i) tag[i] = (x[i] + (i % 2 == 1 ? x.front() : x.back())) % symbols;
    s.read.push_back(x);
    s.tags.push_back(tag);
  }
  return s;
}

TaggedBatch batch_of(const Sentences& s) { return TaggedBatch::of(s.read, s.tags); }

// The share of right tags among those that need the first symbol, and those that need the last. The
// last position itself sees x_last: it is left out.
struct Accuracy {
  double needs_past, needs_future;
};

template <class Model>
Accuracy accuracy(const Model& model, const Sentences& test) {
  const TaggedBatch batch = batch_of(test);
  const std::vector<std::int32_t> found = model.tags(batch);
  const std::size_t n = batch.lengths.size();
  const auto among = [&](std::size_t parity) {
    std::vector<std::int32_t> expected(batch.tags.size(), -1);
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t i = parity; i + 1 < batch.lengths[b]; i += 2) expected[i * n + b] = batch.tags[i * n + b];
    return tag_accuracy(found, expected);
  };
  return {among(1), among(0)};
}

template <class Reader>
Accuracy train(std::size_t updates, std::uint64_t seed) {
  auto model = Tagger<Reader>::of(symbols, symbols, seed);
  Adam adam({.rate = 5e-3});
  Tape tape;
  const Random random{seed};
  for (std::size_t u = 0; u < updates && !tutorial::interrupted(); ++u) {
    adam.rate = u < updates * 2 / 3 ? 5e-3 : 1e-3;
    train_step(model, batch_of(draw_sentences(64, random.child("train").child(u))), adam, tape, seed);
  }
  return accuracy(model, draw_sentences(500, random.child("test")));
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Sequence labelling with one direction and with two.");
  std::uint64_t seed = 1, updates = 2000;
  program.option("--seed", seed, "the first of three seeds of weights and sentences");
  program.option("--updates", updates, "training steps of each net");
  return program.run(argc, argv, [&] {
    if (updates < 1) throw Error("--updates must be at least 1");
    Accuracy one[3], two[3];
    tutorial::in_parallel(6, [&](std::size_t job) {
      if (job % 2 == 0)
        two[job / 2] = train<Bidirectional<Cell>>(updates, seed + job / 2);
      else
        one[job / 2] = train<Unidirectional<Cell>>(updates, seed + job / 2);
    });
    if (tutorial::interrupted()) throw Error("interrupted");

    std::printf("Right tags on 500 freshly drawn sentences (guessing: 25 %%):\n");
    std::printf("                        needs the first symbol    needs the last symbol\n");
    for (const auto& [name, found] : {std::pair{"one direction ", one}, std::pair{"two directions", two}})
      for (std::uint64_t s = 0; s < 3; ++s)
        std::printf("  %s, seed %llu %18.1f %% %22.1f %%\n", name, static_cast<unsigned long long>(seed + s),
                    100 * found[s].needs_past, 100 * found[s].needs_future);
    double highest_one = 0, lowest_two = 1;
    for (std::size_t s = 0; s < 3; ++s) {
      highest_one = std::max(highest_one, one[s].needs_future);
      lowest_two = std::min({lowest_two, two[s].needs_future, two[s].needs_past});
    }
    result(text("where the tag needs the future: one direction at best %.1f %%, two directions at worst %.1f %% (chance 25 %%)",
                100 * highest_one, 100 * lowest_two));
  });
}
