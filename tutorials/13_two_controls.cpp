// 13. Write control and read control
//
//     c_i = f_i c_{i-1} + in_i g_i, h_i = o_i tanh(c_i)    the encoder's gates say what is kept, written and shown
//     c_t = sum_i alpha_{t,i} h_i                          the decoder's attention says what is read
//
// (Hochreiter and Schmidhuber 1997, Gers et al. 2000; Bahdanau, Cho and Bengio 2015.) The task has noise to be left out: of a sequence
// in which one symbol in three is marked, recite the marked ones, y = [x_i | x_i marked]. Nobody tells a gate or a
// weight what a mark is; both learn from the loss of y. And what if one of the controls is taken away?
#include <algorithm>
#include <cstdio>

#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "models/decoding.hpp"
#include "models/edit_distance.hpp"
#include "tutorials/maps.hpp"
#include "tutorials/tasks.hpp"

using namespace hindsight;
using tutorial::Pairs;
using tutorial::result;
using tutorial::text;

namespace {

struct Emb : Axis<16> {};
struct Hidden : Axis<48> {};
struct Inner : Axis<48> {};

using Cell = Lstm<Emb, Hidden>;
template <class Read>
using Net = EncoderDecoder<Unidirectional<Cell>, Decoder<Gru, Emb, Hidden, Read>>;
using Reads = Net<Attention<AdditiveScore<Hidden, Hidden, Inner>>>;
using Fixed = Net<LastState<Hidden>>;  // read control taken away: c_t = h_T at every step

// Write control taken away: without weights a gate is sigmoid(b), learned, and the same whatever is read.
template <class Weight>
void hold_gates_still(Weight& weight) {
  const auto w = weight.var();
  const auto edit = weight.edit();
  for (const auto& part : {gate<Forget>(w), gate<Input>(w), gate<Output>(w)})
    for (std::size_t row = 0; row < part.extents[0]; ++row)
      std::fill_n(part.value + row * part.strides[0], Hidden::extent, 0.0f);
}

struct Options {
  std::uint64_t seed = 1, updates = 1000, symbols = 8, longest = 18;
};

// Each symbol is there twice, marked and, as many ids later, unmarked. At least one is marked.
bool is_marked(int x, const Options& o) { return x < tutorial::first_symbol + static_cast<int>(o.symbols); }

Pairs draw_pairs(std::size_t count, std::size_t shortest, const Options& o, const Random& random) {
  Pairs pairs = tutorial::recite(count, shortest, o.longest, o.symbols, random);
  for (std::size_t n = 0; n < count; ++n) {
    std::vector<int>&x = pairs.sources[n], &y = pairs.targets[n];
    y.clear();
    for (std::size_t i = 0; i < x.size(); ++i)
      if (random.child("marks").child(n).below(3, i) == 0 || (i + 1 == x.size() && y.empty()))
        y.push_back(x[i]);
      else
        x[i] += static_cast<int>(o.symbols);
  }
  return pairs;
}

// What the controls do, at unmarked positions [0] and at marked ones [1]: gates, and what the input gate lets in, means
// over units and positions; the attention's weights, sums over positions. And the first sequence's as rows of a table.
constexpr const char* kinds[] = {"forget gate", "input gate", "output gate", "written, |i g|", "attention"};
constexpr std::size_t n_kinds = std::size(kinds), attention = n_kinds - 1;
struct Controls {
  double at[n_kinds][2] = {};
  std::vector<std::vector<double>> first;
};

// The gates' values are got from the cell's own equations, at the states of a run.
template <class Model>
Controls look(const Model& net, const Pairs& pairs, const Options& o) {
  Tape tape;
  const NoRecording guard;
  const PairBatch batch = pairs.batch();
  const Cell& cell = net.encoder.forward;
  const auto xs = net.embedded(batch);
  const auto s0 = cell.initial(extent<Batch>(batch.size()));
  const auto states = unroll(cell, xs, s0).states;
  const auto steps = net(batch).states;
  Controls seen;
  double positions[2] = {}, looks = 0;
  for (std::size_t i = 0; i < o.longest; ++i) {
    Var z = cell.from_input(at<Source>(xs, i)) + cell.from_hidden(i == 0 ? s0.h : states[i - 1].h) + cell.bias;
    Var f = sigmoid(gate<Forget>(z)), in = sigmoid(gate<Input>(z)), out = sigmoid(gate<Output>(z));
    std::vector<float> found[] = {mean<Hidden>(f).values(), mean<Hidden>(in).values(), mean<Hidden>(out).values(),
                                  mean<Hidden>(abs(in * tanh(gate<Candidate>(z)))).values(),
                                  std::vector<float>(batch.size())};
    for (std::size_t b = 0; b < batch.size(); ++b) {
      for (std::size_t t = 0; t < pairs.targets[b].size(); ++t) found[attention][b] += steps[t].weights.at(i, b);
      const bool marked = is_marked(pairs.sources[b][i], o);
      positions[marked] += 1;
      looks += found[attention][b];
      for (std::size_t k = 0; k < n_kinds; ++k) seen.at[k][marked] += found[k][b];
    }
    const double marked = is_marked(pairs.sources[0][i], o);
    seen.first.push_back({i + 1.0, marked, found[0][0], found[1][0], found[2][0], found[attention][0]});
  }
  for (std::size_t k = 0; k < n_kinds; ++k)
    for (std::size_t m = 0; m < 2; ++m) seen.at[k][m] /= k == attention ? looks : positions[m];
  return seen;
}

struct Outcome {
  double right;  // right symbols, written freely
  Controls before, after;
  tutorial::Map alignment;  // of the first sequence
};

template <class Model>
Outcome train(bool still, const Options& o, std::uint64_t seed) {
  const std::size_t vocabulary = tutorial::first_symbol + 2 * o.symbols;
  auto net = Model::of(vocabulary, vocabulary, seed);
  Adam adam({.rate = 5e-3});
  Tape tape;
  const Random random{seed};
  const Pairs test = draw_pairs(200, o.longest, o, random.child("test"));
  const Pairs first{{test.sources[0]}, {test.targets[0]}};
  const Controls before = look(net, test, o);
  for (std::size_t u = 0; u < o.updates && !tutorial::interrupted(); ++u) {
    adam.rate = u < o.updates * 2 / 3 ? 5e-3 : 1.5e-3;
    train_step(net, draw_pairs(32, 2, o, random.child("train").child(u)).batch(), adam, tape, seed);
    Cell& cell = net.encoder.forward;
    if (still) {
      hold_gates_still(cell.from_input.weight);
      hold_gates_still(cell.from_hidden.weight);
    }
  }
  const Written written = greedy(net, test.batch(), tutorial::bos, tutorial::eos, o.longest);
  return {token_accuracy(written, test.targets), before, look(net, test, o),
          tutorial::alignment(net, first.batch(), first.targets[0].size())};
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Write control and read control: gates beside attention, and each without the other.");
  Options o;
  program.option("--seed", o.seed, "the first of three seeds of weights and sequences");
  program.option("--updates", o.updates, "training steps of each net, of 32 sequences each");
  program.option("--symbols", o.symbols, "different symbols, each marked and unmarked");
  program.option("--longest", o.longest, "the longest sequence trained on, the length that is tested");
  return program.run(argc, argv, [&] {
    if (o.updates < 1 || o.symbols < 2 || o.symbols > 1000 || o.longest < 2 || o.longest > 200)
      throw Error("--updates must be at least 1, --symbols 2 to 1000, --longest 2 to 200");
    std::vector<Outcome> outcomes(12);
    const Outcome *both = &outcomes[0], *writing = &outcomes[3], *reading = &outcomes[6], *none = &outcomes[9];
    tutorial::in_parallel(12, [&](std::size_t job) {
      const std::uint64_t seed = o.seed + job % 3;
      outcomes[job] = job < 3   ? train<Reads>(false, o, seed)
                      : job < 6 ? train<Fixed>(false, o, seed)
                      : job < 9 ? train<Reads>(true, o, seed)
                                : train<Fixed>(true, o, seed);
      std::fprintf(stderr, "net %zu of 12: done\n", job + 1);
    });
    if (tutorial::interrupted()) throw Error("interrupted");

    const auto right = [](const Outcome* of) { return tutorial::spread({of[0].right, of[1].right, of[2].right}); };
    std::printf("Right symbols on 200 freshly drawn sequences of length %zu, mean of three seeds (lowest - highest).\n"
                "Guessing: %.3f\n                  gates held still        gates\n  fixed vector    %s   %s\n"
                "  attention       %s   %s\n",
                static_cast<std::size_t>(o.longest), 1.0 / static_cast<double>(o.symbols), right(none).c_str(),
                right(writing).c_str(), right(reading).c_str(), right(both).c_str());
    const auto seen = [](const Outcome* of, Controls Outcome::*when, std::size_t k, bool marked) {
      const auto value = [&](std::size_t seed) { return (of[seed].*when).at[k][marked]; };
      return tutorial::spread({value(0), value(1), value(2)});
    };
    for (const Outcome* of : {both, writing}) {
      std::printf("\n%-16s  before: unmarked         marked                 after: unmarked          marked\n",
                  of == both ? "With attention" : "Fixed vector");
      for (std::size_t k = 0; k < (of == both ? n_kinds : attention); ++k)
        std::printf("  %-14s  %s  %s  %s  %s\n", kinds[k], seen(of, &Outcome::before, k, false).c_str(),
                    seen(of, &Outcome::before, k, true).c_str(), seen(of, &Outcome::after, k, false).c_str(),
                    seen(of, &Outcome::after, k, true).c_str());
    }
    tutorial::Table table("13_controls", {"position i", "marked", kinds[0], kinds[1], kinds[2], "looked at"});
    for (const std::vector<double>& row : both->after.first) table.row(row);
    table.save({.title = "Gates and attention over one sequence", .x = "position i", .y = "gates, sum of weights",
                .see = "the input gate opens where a symbol is marked, and there the attention looks, about once each"});
    tutorial::draw(both->alignment, "13_alignment", "alpha_{t,i} of the same sequence",
                   "a staircase: a step at each mark, and over the unmarked at once");
    result(text("right with no control %s, writing %s, reading %s, both %s; with both, after training: input gate at "
                "unmarked %s, at marked %s, attention on marked %s", right(none).c_str(), right(writing).c_str(),
                right(reading).c_str(), right(both).c_str(), seen(both, &Outcome::after, 1, false).c_str(),
                seen(both, &Outcome::after, 1, true).c_str(), seen(both, &Outcome::after, attention, true).c_str()));
  });
}
