// 11. Reads: how else could the encoder's states be used?
//
// The encoder leaves a state h_i at each source position, and the decoder gets one vector c_t a step:
//
//     last    c = h_T                              (Cho et al. 2014)       mean   c = 1/T sum_i h_i
//     max     c_k = max_i h_{i,k}                                          hard   c_t = h_j, j = arg max_i e_{t,i}
//     dot     c_t = sum_i alpha_{t,i} h_i, alpha_t = softmax(e_t), e_{t,i} = s_{t-1} . h_i  (Luong, Pham, Manning 2015)
//     additive        the same with e_{t,i} = v . tanh(W s_{t-1} + U h_i + b)        (Bahdanau, Cho, Bengio 2015)
//
// Encoder, decoder and budget of updates are the same. Which of them can recite a long random sequence?
#include <algorithm>
#include <cstdio>

#include "layers/gru.hpp"
#include "models/decoding.hpp"
#include "models/edit_distance.hpp"
#include "tutorials/program.hpp"
#include "tutorials/tasks.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Emb : Axis<16> {};
struct Hidden : Axis<64> {};
struct Inner : Axis<64> {};

template <class Read>
using Model = EncoderDecoder<Unidirectional<Gru<Emb, Hidden>>, Decoder<Gru, Emb, Hidden, Read>>;

using Last = LastState<Hidden>;
using Mean = MeanState<Hidden>;
using Max = MaxState<Hidden>;
using Hard = HardSelection<DotScore<Hidden>>;
using Dot = Attention<DotScore<Hidden>>;
using Additive = Attention<AdditiveScore<Hidden, Hidden, Inner>>;
constexpr const char* names[] = {"last", "mean", "max", "hard", "dot", "additive"};
constexpr std::size_t reads = std::size(names), seeds = 3;

struct Options {
  std::uint64_t seed = 1, updates = 800, symbols = 8, longest = 15, held_out = 200;
};

// Inside the training range every second length; beyond it, up to twice the longest.
std::vector<std::size_t> tested_lengths(std::size_t longest) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = longest % 2 == 0 ? 2 : 3; n <= longest; n += 2) lengths.push_back(n);
  for (std::size_t n : {longest * 4 / 3, longest * 5 / 3, longest * 2}) lengths.push_back(n);
  return lengths;
}

// The share of right symbols, written freely: greedy decoding is given back what it wrote itself.
template <class Read>
double accuracy(const Model<Read>& model, std::size_t length, const Options& o, const Random& random) {
  const Random mine = random.child("test").child(length);
  const tutorial::Pairs test = tutorial::recite(o.held_out, length, length, o.symbols, mine);
  return token_accuracy(greedy(model, test.batch(), tutorial::bos, tutorial::eos, length), test.targets);
}

template <class Read>
std::vector<double> train(const Options& o, std::uint64_t seed) {
  const std::size_t vocabulary = tutorial::first_symbol + o.symbols;
  auto model = Model<Read>::of(vocabulary, vocabulary, seed);
  Adam adam({.rate = 5e-3});
  Tape tape;
  const Random random{seed};
  for (std::size_t u = 0; u < o.updates && !tutorial::interrupted(); ++u) {
    adam.rate = u < o.updates * 2 / 3 ? 5e-3 : 1.5e-3;
    const auto pairs = tutorial::recite(32, 2, o.longest, o.symbols, random.child("train").child(u));
    train_step(model, pairs.batch(), adam, tape, seed);
  }
  std::vector<double> found;
  for (const std::size_t length : tested_lengths(o.longest)) found.push_back(accuracy(model, length, o, random));
  return found;
}

using Train = std::vector<double> (*)(const Options&, std::uint64_t);
constexpr Train trains[] = {train<Last>, train<Mean>, train<Max>, train<Hard>, train<Dot>, train<Additive>};

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Six reads in the same decoder, reciting: accuracy against length.");
  Options o;
  program.option("--seed", o.seed, "the first of three seeds of weights and sequences");
  program.option("--updates", o.updates, "training steps of each net, of 32 sequences each");
  program.option("--symbols", o.symbols, "different symbols");
  program.option("--longest", o.longest, "the longest sequence trained on; twice that is tested");
  program.option("--held-out", o.held_out, "sequences that each length is tested on");
  return program.run(argc, argv, [&] {
    if (o.updates < 1) throw Error("--updates must be at least 1");
    if (o.symbols < 2 || o.symbols > 1000) throw Error("--symbols must be 2 to 1000");
    if (o.longest < 3 || o.longest > 200) throw Error("--longest must be 3 to 200");
    if (o.held_out < 1 || o.held_out > 100000) throw Error("--held-out must be 1 to 100000");
    std::vector<std::vector<double>> found(reads * seeds);  // by read and seed, the accuracy at each length
    tutorial::in_parallel(found.size(), [&](std::size_t job) {
      found[job] = trains[job / seeds](o, o.seed + job % seeds);
      std::fprintf(stderr, "%s, net %zu of 3: done\n", names[job / seeds], job % seeds + 1);
    });
    if (tutorial::interrupted()) throw Error("interrupted");

    const std::vector<std::size_t> lengths = tested_lengths(o.longest);
    const auto spread = [&](std::size_t read, std::size_t l) {
      const std::vector<double>* of = &found[read * seeds];
      return std::minmax({of[0][l], of[1][l], of[2][l]});
    };
    std::vector<std::string> columns{"length"};
    std::printf("\nRight symbols in %%, written freely, on %llu freshly drawn sequences a length: lowest and highest\n"
                "of three seeds; guessing %.1f. Trained on lengths 2 to %llu.\n\nlength",
                static_cast<unsigned long long>(o.held_out), 100.0 / static_cast<double>(o.symbols),
                static_cast<unsigned long long>(o.longest));
    for (const char* name : names) {
      std::printf("%15s", name);
      for (const char* of : {"", " lowest", " highest"}) columns.push_back(std::string(name) + of);
    }
    tutorial::Table table("11_reads", columns);
    std::printf("\n");
    for (std::size_t l = 0; l < lengths.size(); ++l) {
      if (l > 0 && lengths[l] > o.longest && lengths[l - 1] <= o.longest) std::printf("longer than any trained on:\n");
      std::printf("%6zu", lengths[l]);
      std::vector<double> row{static_cast<double>(lengths[l])};
      for (std::size_t r = 0; r < reads; ++r) {
        const auto [lowest, highest] = spread(r, l);
        const double mean = (found[r * seeds][l] + found[r * seeds + 1][l] + found[r * seeds + 2][l]) / seeds;
        std::printf("%8.1f -%5.1f", 100 * lowest, 100 * highest);
        row.insert(row.end(), {100 * mean, 100 * lowest, 100 * highest});
      }
      std::printf("\n");
      table.row(row);
    }
    const double longest = static_cast<double>(o.longest);
    table.save({.title = "Six reads in one decoder, reciting", .x = "length; trained on up to the dashed line",
                .y = "right symbols, %", .see = "last, mean, max and hard fall from the start; dot and additive stay up to the dashed line",
                .spread = true, .mark = longest});

    // Inside the training range, from the first length on at which `last` is below 50 % with every seed.
    constexpr std::size_t last = 0, dot = 4, additive = 5;
    std::size_t first = 0, beyond = lengths.size() - 1;
    while (lengths[first] <= o.longest && spread(last, first).second >= 0.5) ++first;
    double best_of_last = 0, worst[] = {1, 1};
    for (std::size_t l = first; lengths[l] <= o.longest; ++l) {
      best_of_last = std::max(best_of_last, spread(last, l).second);
      worst[0] = std::min(worst[0], spread(dot, l).first);
      worst[1] = std::min(worst[1], spread(additive, l).first);
    }
    const std::string far = text("worst at untrained %zu: last %.1f, dot %.1f, additive %.1f", lengths[beyond],
                                 100 * spread(last, beyond).first, 100 * spread(dot, beyond).first,
                                 100 * spread(additive, beyond).first);
    if (lengths[first] > o.longest)
      result(text("last is at 50 %% or above up to the longest trained on, %zu; ", lengths[first - 1]) + far);
    else
      result(text("lengths %zu to %zu: last at best %.1f %%, attention at worst %.1f (dot), %.1f (additive); ", lengths[first],
                  static_cast<std::size_t>(o.longest), 100 * best_of_last, 100 * worst[0], 100 * worst[1]) + far);
  });
}
