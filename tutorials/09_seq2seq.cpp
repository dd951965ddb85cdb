// 9. Sequence to sequence through one vector
//
// An encoder reads x_1 .. x_T into one vector c, a decoder writes y_1 .. y_T' from it; each has parameters of its
// own, and the loss of what is written trains both, end to end:
//
//     c = h_T,  h_i = gru(E_x[x_i], h_{i-1})       s_0 = tanh(V c + b)
//     s_t = gru(E_y[y_{t-1}], s_{t-1})             p(y_t) = softmax(W s_t + b)          Sutskever, Vinyals, Le 2014
//     s_t = gru([E_y[y_{t-1}], c], s_{t-1})        p(y_t) = softmax(W [s_t, c] + b)     Cho et al. 2014
//
// In one, c is the decoder's first state and nothing else; in the other it is fed at every step, too. Both are to
// recite. And then: on which source symbols does the loss of one target token depend, |d loss_t / d E_x[x_i]|?
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "layers/gru.hpp"
#include "models/decoding.hpp"
#include "models/edit_distance.hpp"
#include "tutorials/maps.hpp"
#include "tutorials/tasks.hpp"

using namespace hindsight;
using namespace hindsight::tutorial;

namespace {

struct Emb : Axis<16> {};
struct Hidden : Axis<64> {};
template <class Read>
using Net = EncoderDecoder<Unidirectional<Gru<Emb, Hidden>>, Decoder<Gru, Emb, Hidden, Read>>;
using Sutskever = Net<NoRead<Hidden>>;  // the decoder looks at nothing
using Cho = Net<LastState<Hidden>>;     // it looks at h_T, whatever it asks

struct Options {
  std::uint64_t seed = 1, updates = 1500, symbols = 8, longest = 15;
  std::size_t looked_at() const { return longest * 4 / 5; }  // the length at which gradients are drawn
};

// Every second length up to the longest trained on, and two beyond it.
std::vector<std::size_t> tested_lengths(std::size_t longest) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = longest % 2 == 0 ? 2 : 3; n <= longest; n += 2) lengths.push_back(n);
  for (std::size_t n : {longest * 4 / 3, longest * 5 / 3}) lengths.push_back(n);
  return lengths;
}

struct Outcome {
  std::vector<double> right;  // the share of right symbols, written freely, by tested length
  Map before, after;          // |d loss_t / d E_x[x_i]|, before training and after
  double encoder = 0, decoder = 0;  // the norm of the first gradient of their parameters
};

template <class Module>
double gradient_norm(Module& module) {
  double all = 0;
  for_each_parameter(module, [&](const Path&, auto& p) {
    all = std::hypot(all, norm({p.gradients().begin(), p.gradients().end()}));
  });
  return all;
}

template <class Model>
Outcome train(const Options& o, std::uint64_t seed) {
  const std::size_t vocabulary = first_symbol + o.symbols;
  auto net = Model::of(vocabulary, vocabulary, seed);
  Adam adam({.rate = 5e-3});
  Tape tape;
  const Random random{seed};
  const auto drawn = [&](std::size_t count, std::size_t length, const char* what, std::size_t number) {
    return recite(count, length, length, o.symbols, random.child(what).child(number));
  };
  const std::size_t steps = o.looked_at();
  const PairBatch looked_at = drawn(100, steps, "gradient", 0).batch();
  Outcome outcome;
  outcome.before = source_gradient(net, looked_at, steps);
  backward(cross_entropy<TargetVocab>(net(looked_at).logits, looked_at.targets));  // of what the decoder wrote
  outcome.encoder = gradient_norm(net.encoder);  // it came through c: nothing else leads to the encoder
  outcome.decoder = gradient_norm(net.decoder);
  clear_gradients(net);
  for (std::size_t u = 0; u < o.updates && !interrupted(); ++u) {
    const std::size_t length = 2 + random.child("length").below(o.longest - 1, u);  // one a batch: no padding
    adam.rate = u < o.updates * 2 / 3 ? 5e-3 : 1.5e-3;
    train_step(net, drawn(32, length, "train", u).batch(), adam, tape, seed);
  }
  for (const std::size_t length : tested_lengths(o.longest)) {
    const Pairs test = drawn(200, length, "test", length);
    outcome.right.push_back(token_accuracy(greedy(net, test.batch(), bos, eos, length), test.targets));
  }
  outcome.after = source_gradient(net, looked_at, steps);
  return outcome;
}

// The last symbol's share of the gradient, the mean over t.
double of_last(const Map& map) {
  return std::accumulate(map.begin(), map.end(), 0.0, [](double sum, const auto& row) { return sum + row.back(); }) /
         static_cast<double>(map.size());
}

// Rows of the maps as curves: the first target step, the middle one, and the last. Before training all are alike.
void draw_curves(const Map& before, const Map& after) {
  const std::size_t n = after.size(), middle = (n + 1) / 2;
  Table table("09_gradient_curves", {"i", text("before t=%zu", middle), "after t=1", text("after t=%zu", middle),
                                     text("after t=%zu", n)});
  for (std::size_t i = 0; i < n; ++i)
    table.row({static_cast<double>(i + 1), before[middle - 1][i], after[0][i], after[middle - 1][i], after[n - 1][i]});
  std::printf("\n|d loss_t / d E_x[x_i]|, c at every step, each t divided by its sum; 100 sequences, first seed:\n");
  table.print();
  table.save({.title = "On which symbols the loss of target token t depends", .x = "source position i",
              .y = "share of the gradient", .see = "before training it vanishes on its way back to x_1; after "
              "training it does not, and what stands behind t has the least", .log_y = true});
}

}  // namespace

int main(int argc, char** argv) {
  Program program("Sequence to sequence through one vector: c as the first state, or fed at every step.");
  Options o;
  program.option("--seed", o.seed, "the first of three seeds of weights and sequences");
  program.option("--updates", o.updates, "training steps of each net, of 32 sequences each");
  program.option("--symbols", o.symbols, "different symbols");
  program.option("--longest", o.longest, "the longest sequence trained on");
  return program.run(argc, argv, [&] {
    if (o.updates < 1 || o.symbols < 2 || o.symbols > 1000 || o.longest < 5 || o.longest > 100)
      throw Error("--updates must be at least 1, --symbols 2 to 1000, --longest 5 to 100");
    std::vector<Outcome> outcomes(6);
    const Outcome *first = &outcomes[0], *fed = &outcomes[3];
    in_parallel(6, [&](std::size_t job) {
      outcomes[job] = job < 3 ? train<Sutskever>(o, o.seed + job) : train<Cho>(o, o.seed + job - 3);
      std::fprintf(stderr, "net %zu of 6: done\n", job + 1);
    });
    if (interrupted()) throw Error("interrupted");
    const std::size_t longest = o.longest;

    const auto of_seeds = [](const Outcome* net, auto number) {
      return spread({number(net[0]), number(net[1]), number(net[2])});
    };
    const auto show = [&](const char* what, auto number) {
      std::printf("%-46s %-24s %s\n", what, of_seeds(first, number).c_str(), of_seeds(fed, number).c_str());
    };
    const auto right = [](const Outcome& net) { return net.right[net.right.size() - 3]; };  // two lengths are beyond
    const auto before = [](const Outcome& net) { return of_last(net.before); };
    const auto after = [](const Outcome& net) { return of_last(net.after); };
    std::printf("Mean of three seeds (lowest - highest)         c first                  c at every step\n");
    show("first gradient's norm, encoder", [](const Outcome& net) { return net.encoder; });
    show("first gradient's norm, decoder", [](const Outcome& net) { return net.decoder; });
    show("share of |d loss_t / d E_x[x_i]| for i = T", before);
    show("the same after training", after);
    show("the same for i = t", [](const Outcome& net) { return along(net.after); });
    std::printf("\nRight symbols, written freely, on 200 freshly drawn sequences a length. Guessing: %.3f. Trained on\n"
                "lengths 2 .. %zu; what is longer is extrapolation.\n", 1.0 / static_cast<double>(o.symbols), longest);
    draw_seeds("09_seq2seq", tested_lengths(longest),
               {{"c first", {first[0].right, first[1].right, first[2].right}},
                {"c every step", {fed[0].right, fed[1].right, fed[2].right}}},
               {.title = text("One vector, trained to recite 2 to %zu symbols", longest), .x = "length",
                .y = "right symbols", .see = "both fall, already inside the training range (left of the dashed line)",
                .mark = static_cast<double>(longest)});
    draw_curves(fed->before, fed->after);
    draw(fed->before, "09_gradient_before", "c at every step, before training",
                   "all rows are alike: whatever is to be written, the last symbols read have most of the gradient");
    draw(first->after, "09_gradient_first", "c as the first state, after training",
                   "token t depends on x_t, the diagonal, and on all before it: they came mixed into one vector");
    draw(fed->after, "09_gradient_fed", "c at every step, after training",
                   "much the same: how the decoder is given c changes little of what it depends on");
    result(text("right symbols at length %zu: c as the first state %s, at every step %s, guessing %.3f; share of the "
                "gradient at the last symbol: %s before training, %s after", longest, of_seeds(first, right).c_str(),
                of_seeds(fed, right).c_str(), 1.0 / static_cast<double>(o.symbols), of_seeds(fed, before).c_str(),
                of_seeds(fed, after).c_str()));
  });
}
