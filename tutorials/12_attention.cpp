// 12. Attention step by step
//
//     e_{t,i} = v . tanh(W s_{t-1} + U h_i + b)      a score: how well the state that asks and h_i fit
//     alpha_t = softmax(e_t)                         weights over the source, positive, of sum 1
//     c_t = sum_i alpha_{t,i} h_i                    the context: of fixed size, whatever the length
//
// (Bahdanau, Cho and Bengio 2015.) d alpha_i / d e_j = alpha_i ([i = j] - alpha_j), so with g_t = dL/dc_t
//
//     dL/de_{t,i} = alpha_{t,i} g_t . (h_i - c_t)    a score rises if its h_i would serve better than c_t does
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "layers/gru.hpp"
#include "models/decoding.hpp"
#include "models/edit_distance.hpp"
#include "tutorials/maps.hpp"
#include "tutorials/tasks.hpp"

using namespace hindsight;
using tutorial::Map;
using tutorial::Pairs;
using tutorial::result;
using tutorial::text;

namespace {

// One look at four states of three units, with everything printed. The context is taken for the logits of
// three classes, of which the first is right: any other loss would do as well.
struct One : Axis<1> {};
struct Few : Axis<3> {};

double one_look(std::uint64_t seed) {
  constexpr std::size_t n = 4, units = Few::extent;
  AdditiveScore<Few, Few, Few, double> score;
  initialise(score, seed);
  Tape tape;
  const auto h = constant<Source, One, Few>(tutorial::noise(n * units, 1, seed), extent<Source>(n));
  const auto s = constant<One, Few>(tutorial::noise(units, 1, seed + 1));
  const auto e = score(s, score.keys(h));
  const auto alpha = softmax<Source>(e);
  Var c = contract<Source>(alpha, h);
  Var loss = cross_entropy<Few>(c, std::vector<std::int32_t>{0});

  const std::vector<double> g = jacobian(loss, c), by_engine = jacobian(loss, e), J = jacobian(alpha, e);
  double worst = 0;
  std::printf("One look of s = (%.3f, %.3f, %.3f):\n", s.at(0, 0), s.at(0, 1), s.at(0, 2));
  std::printf("  i                       h_i     e_i   alpha_i  g . (h_i - c)  dL/de_i by hand  by the engine\n");
  for (std::size_t i = 0; i < n; ++i) {
    double better = 0;
    for (std::size_t k = 0; k < units; ++k) better += g[k] * (h.at(i, 0, k) - c.at(0, k));
    const double by_hand = alpha.at(i, 0) * better;
    worst = std::max(worst, std::abs(by_hand - by_engine[i]));
    std::printf("  %zu  (%6.3f, %6.3f, %6.3f) %7.3f %9.4f %14.4f %16.6f %14.6f\n", i + 1, h.at(i, 0, 0), h.at(i, 0, 1),
                h.at(i, 0, 2), e.at(i, 0), alpha.at(i, 0), better, by_hand, by_engine[i]);
    for (std::size_t j = 0; j < n; ++j)
      worst = std::max(worst, std::abs(J[i * n + j] - alpha.at(i, 0) * ((i == j) - alpha.at(j, 0))));
  }
  std::printf("  c = (%.3f, %.3f, %.3f)   g = dL/dc = (%.3f, %.3f, %.3f)\n"
              "By hand and by the engine, the softmax's Jacobian too: they differ by at most %.0e.\n\n",
              c.at(0, 0), c.at(0, 1), c.at(0, 2), g[0], g[1], g[2], worst);
  return worst;
}

// Two tasks. Reciting: y_t = x_t. Adding: y_t = x_t + x_{T+1-t}, with symbols as numbers from 0: two sources make one
// target, and who knows but one of them is right no oftener than who guesses a symbol.
struct Options {
  std::uint64_t seed = 1, updates = 700, symbols = 8, longest = 10;
};

Pairs draw_pairs(bool add, std::size_t count, std::size_t shortest, const Options& o, const Random& random) {
  Pairs pairs = tutorial::recite(count, shortest, o.longest, o.symbols, random);
  for (std::size_t n = 0; n < count && add; ++n)
    for (std::size_t t = 0, T = pairs.sources[n].size(); t < T; ++t)
      pairs.targets[n][t] += pairs.sources[n][T - 1 - t] - tutorial::first_symbol;
  return pairs;
}

// For reciting one direction is enough, and s_0 comes from h_T. T+1-t is counted from the end: for adding, two.
struct Emb : Axis<16> {};
struct Hidden : Axis<64> {};
struct Half : Axis<32> {};
struct Inner : Axis<64> {};
using Forwards = Unidirectional<Gru<Emb, Hidden>>;
using BothWays = Bidirectional<Gru<Emb, Half>>;
template <class Reader, class Read>
using Net = EncoderDecoder<Reader, Decoder<Gru, Emb, Hidden, Read>>;
using Recites = Net<Forwards, Attention<AdditiveScore<Hidden, Hidden, Inner>>>;
using Adds = Net<BothWays, Attention<AdditiveScore<Hidden, BothWays::Hidden, Inner>>>;
using Fixed = Net<Forwards, LastState<Hidden>>;  // c = h_T at every step

// What is measured of a net, on sequences of the longest length that it was not trained on.
struct Outcome {
  double right = 0;           // right symbols, written freely
  double first_state = 0;     // the model's s_0 against tanh(V h_T + b) by hand
  Map before, during, after;  // alpha_{t,i}, before training, after a tenth of it, and after all
  Map gradient;               // |d loss_t / d E_x[x_i]|, the figure of tutorial 9
};

double check_first_state(const Recites& net, const PairBatch& batch) {
  Tape tape;
  const auto encoded = net.encode(batch);
  const auto V = net.bridge.maps[0].map.weight.var();
  double worst = 0;
  for (std::size_t k = 0; k < Hidden::extent; ++k) {
    double z = net.bridge.maps[0].bias.var().at(k);
    for (std::size_t j = 0; j < Hidden::extent; ++j)
      z += V.at(j, k) * encoded.memory.states.at(batch.source_positions() - 1, 0, j);
    worst = std::max(worst, std::abs(std::tanh(z) - encoded.state.bottom.h.at(0, k)));
  }
  return worst;
}

template <class Model>
Outcome train(bool add, std::size_t updates, std::uint64_t seed, const Options& o) {
  auto net = Model::of(tutorial::first_symbol + o.symbols, tutorial::first_symbol + 2 * o.symbols, seed);
  Adam adam({.rate = 5e-3});
  Tape tape;
  const Random random{seed};
  const Pairs test = draw_pairs(add, 100, o.longest, o, random.child("test"));
  const PairBatch batch = test.batch();
  Outcome outcome;
  outcome.before = tutorial::alignment(net, batch, o.longest);
  for (std::size_t u = 0; u < updates && !tutorial::interrupted(); ++u) {
    if (u == updates / 10) outcome.during = tutorial::alignment(net, batch, o.longest);
    adam.rate = u < updates * 2 / 3 ? 5e-3 : 1.5e-3;
    train_step(net, draw_pairs(add, 32, 2, o, random.child("train").child(u)).batch(), adam, tape, seed);
  }
  outcome.after = tutorial::alignment(net, batch, o.longest);
  if (!add) outcome.gradient = tutorial::source_gradient(net, batch, o.longest);
  outcome.right = token_accuracy(greedy(net, batch, tutorial::bos, tutorial::eos, o.longest), test.targets);
  if constexpr (std::is_same_v<Model, Recites>) outcome.first_state = check_first_state(net, batch);
  return outcome;
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Attention step by step: scores, weights, context, gradients, alignments.");
  Options o;
  program.option("--seed", o.seed, "the first of three seeds of weights and sequences");
  program.option("--updates", o.updates, "training steps of a net that recites; one that adds takes twice as many");
  program.option("--symbols", o.symbols, "different symbols");
  program.option("--longest", o.longest, "the longest sequence trained on, the length that is tested");
  return program.run(argc, argv, [&] {
    if (o.updates < 10 || o.symbols < 2 || o.symbols > 1000 || o.longest < 2 || o.longest > 100)
      throw Error("--updates must be at least 10, --symbols 2 to 1000, --longest 2 to 100");
    const double worst = one_look(o.seed);
    std::vector<Outcome> outcomes(9);
    const Outcome *adding = &outcomes[0], *reciting = &outcomes[3], *fixed = &outcomes[6];  // three seeds each
    tutorial::in_parallel(9, [&](std::size_t job) {
      const std::uint64_t seed = o.seed + job % 3;
      outcomes[job] = job < 3   ? train<Adds>(true, 2 * o.updates, seed, o)
                      : job < 6 ? train<Recites>(false, o.updates, seed, o)
                                : train<Fixed>(false, o.updates, seed, o);
      std::fprintf(stderr, "net %zu of 9: done\n", job + 1);
    });
    if (tutorial::interrupted()) throw Error("interrupted");

    const auto right = [](const Outcome* of) { return tutorial::spread({of[0].right, of[1].right, of[2].right}); };
    const auto share = [](const Outcome* of, Map Outcome::*map, bool mirrored = false) {
      const auto mean = [&](std::size_t seed) { return tutorial::along(of[seed].*map, mirrored); };
      return tutorial::spread({mean(0), mean(1), mean(2)});
    };
    const auto show = [](const char* what, const std::string& of) { std::printf("  %-50s %s\n", what, of.c_str()); };
    std::printf("On 100 freshly drawn sequences of length %zu, mean of three seeds (lowest - highest); guessing %.3f\n",
                static_cast<std::size_t>(o.longest), 1.0 / static_cast<double>(o.symbols));
    show("reciting, right symbols, fixed vector", right(fixed));
    show("reciting, right symbols, attention", right(reciting));
    show("  weight at i = t, before training", share(reciting, &Outcome::before));
    show("  weight at i = t, after a tenth of the training", share(reciting, &Outcome::during));
    show("  weight at i = t, after training", share(reciting, &Outcome::after));
    show("  s_0 by hand from h_T, the largest difference", text("%.0e", reciting->first_state));
    show("  gradient: share at i = t, attention", share(reciting, &Outcome::gradient));
    show("  gradient: share at i = t, fixed vector", share(fixed, &Outcome::gradient));
    show("adding, right symbols", right(adding));
    show("  weight at i = t", share(adding, &Outcome::after));
    show("  weight at i = T+1-t", share(adding, &Outcome::after, true));

    tutorial::draw(reciting->before, "12_alignment_before", "alpha_{t,i} before training",
                   "every position has the same weight: nobody says where to look");
    tutorial::draw(reciting->during, "12_alignment_during", "alpha_{t,i} after a tenth of the training",
                   "a broad band along i = t, sharper in the first steps");
    tutorial::draw(reciting->after, "12_alignment_after", "alpha_{t,i} after training", "a narrow band along i = t");
    tutorial::draw(adding->after, "12_alignment_adding", "alpha_{t,i}, adding",
                   "a cross: each step looks at i = t and at i = T + 1 - t, the two symbols that it adds");
    tutorial::draw(reciting->gradient, "12_gradient_attention", "On which x_i does loss_t depend? With attention",
                   "most on x_t, some on what is before it, and hardly on what comes after");
    tutorial::draw(fixed->gradient, "12_gradient_fixed", "On which x_i does loss_t depend? With a fixed vector",
                   "hardly a diagonal: every loss depends on nearly all symbols");
    result(text("dL/de by hand to %.0e; right at length %zu: attention %s, fixed vector %s; two sources a target: %s",
                worst, static_cast<std::size_t>(o.longest), right(reciting).c_str(), right(fixed).c_str(),
                right(adding).c_str()));
  });
}
