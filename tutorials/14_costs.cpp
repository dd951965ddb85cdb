// 14. What it costs, and what stays serial
//
// A fixed vector costs O(T + N) for a source of T and a target of N symbols. Attention asks every state
// at every step: O(T N) in time, and in memory while gradients are kept. And whoever reads, a recurrence
// must wait for itself: h_t needs h_{t-1}, where the same arithmetic without that chain is one product.
// In the whole story: alone
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "layers/gru.hpp"
#include "layers/rnn.hpp"
#include "models/encoder_decoder.hpp"
#include "tutorials/program.hpp"
#include "tutorials/tasks.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Emb : Axis<32> {};
struct Hidden : Axis<64> {};
struct Scored : Axis<64> {};
using Reader = Unidirectional<Gru<Emb, Hidden>>;
using Fixed = EncoderDecoder<Reader, Decoder<Gru, Emb, Hidden, LastState<Hidden>>>;
using Attending = EncoderDecoder<Reader, Decoder<Gru, Emb, Hidden, Attention<AdditiveScore<Hidden, Hidden, Scored>>>>;
constexpr std::size_t symbols = 20, sentences = 16;

// The least of several times, in milliseconds: what else the machine does only adds to it.
template <class Work>
double milliseconds(std::size_t repeats, Work work) {
  double least = HUGE_VAL;
  work();
  for (std::size_t r = 0; r < repeats; ++r) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    least = std::min(least, took.count());
  }
  return least;
}

struct Cost {
  double time, memory;  // of a training step: milliseconds, megabytes of tape
};

// Forward and backward for sources and targets of `length` symbols.
template <class Model>
Cost cost(std::size_t length, std::uint64_t seed) {
  const auto model = Model::of(tutorial::first_symbol + symbols, tutorial::first_symbol + symbols, seed);
  const PairBatch batch = tutorial::recite(sentences, length, length, symbols, Random{seed}).batch();
  Tape tape;
  Cost c{};
  c.time = milliseconds(3, [&] {
    tape.reset();
    Var loss = cross_entropy<TargetVocab>(model(batch).logits, batch.targets);
    backward(loss);
    c.memory = static_cast<double>(tape.used()) / 1e6;
  });
  return c;
}

// What a pair (t, i) costs: the step from one length to the next, fixed vector subtracted.
double for_a_pair(double more, double less, std::size_t length, std::size_t shorter) {
  return (more - less) / static_cast<double>(sentences * (length * length - shorter * shorter));
}

void read_costs(std::size_t longest, std::uint64_t seed, double& nanoseconds, double& bytes) {
  tutorial::Table table("14_costs", {"T = N", "fixed ms", "attention ms", "fixed MB", "attention MB"});
  Cost fixed{}, attending{}, last_fixed{}, last_attending{};
  std::size_t length = 0, shorter = 0;
  for (std::size_t n = 10; n <= longest; n *= 2) {
    last_fixed = fixed;
    last_attending = attending;
    shorter = length;
    length = n;
    fixed = cost<Fixed>(n, seed);
    attending = cost<Attending>(n, seed);
    table.row({static_cast<double>(n), fixed.time, attending.time, fixed.memory, attending.memory});
  }
  std::printf("A training step of %zu sentences, T symbols read and N = T written:\n", sentences);
  table.print();
  table.save({.title = "The cost of a training step", .x = "T = N", .y = "ms, MB",
              .see = "the fixed vector grows with T, attention with T times N", .log_x = true, .log_y = true});
  nanoseconds = 1e6 * for_a_pair(attending.time - fixed.time, last_attending.time - last_fixed.time, length, shorter);
  bytes = 1e6 * for_a_pair(attending.memory - fixed.memory, last_attending.memory - last_fixed.memory, length, shorter);
  std::printf("Attention's surplus, a pair (t, i) of a sentence: %.0f ns and %.0f bytes. A score's row of %zu units takes\n"
              "%zu bytes with its gradient, and of all T x N rows none is given back before the backward pass.\n\n",
              nanoseconds, bytes, Scored::extent, 2 * sizeof(float) * Scored::extent);
}

struct Time_ : Axis<> {};
struct One : Axis<1> {};
struct Wide : Axis<256> {};

// h_t = tanh(V h_{t-1} + x_t), one sequence; and tanh(V x_t) for all t at once: the same arithmetic.
double serial(std::size_t longest, std::uint64_t seed) {
  Rnn<Wide, Wide> cell;
  initialise(cell, seed);
  tutorial::Table table("14_serial", {"steps", "chain ms", "product ms", "ratio"});
  double ratio = 0;
  for (std::size_t steps = 25; steps <= longest; steps *= 2) {
    std::vector<float> numbers(steps * One::extent * Wide::extent);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.1f * static_cast<float>(Random{seed}.normal(i));
    Tape tape;
    const NoRecording guard;
    const double chain = milliseconds(5, [&] {
      tape.reset();
      const auto xs = constant<Time_, One, Wide>(numbers, extent<Time_>(steps));
      Var<float, One, Wide> h = filled<float, One, Wide>(0.0f);
      for (std::size_t t = 0; t < steps; ++t) h = tanh(cell.from_hidden(h) + at<Time_>(xs, t));
    });
    const double product = milliseconds(5, [&] {
      tape.reset();
      const auto xs = constant<Time_, One, Wide>(numbers, extent<Time_>(steps));
      const Var all = tanh(cell.from_hidden(xs));
      static_cast<void>(all);
    });
    ratio = chain / product;
    table.row({static_cast<double>(steps), chain, product, ratio});
  }
  std::printf("A recurrence of %zu units, and the same arithmetic without the chain, on one core:\n", Wide::extent);
  table.print();
  table.save({.title = "What stays serial", .x = "steps", .y = "ms",
              .see = "the same arithmetic: in one product it is done sooner, as a chain it waits for itself", .log_x = true, .log_y = true});
  std::printf("A step of the chain has one row for the vector units and the product has all rows; and the steps must wait.\n");
  return ratio;
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("Time and memory of a fixed vector and of attention, and what stays serial.");
  std::uint64_t seed = 1, longest = 320, steps = 1600;
  program.option("--seed", seed, "of weights and sentences; times differ from run to run");
  program.option("--longest", longest, "the longest source and target; lengths are 10, 20, 40 .. up to it");
  program.option("--steps", steps, "the longest recurrence; 25, 50, 100 .. up to it");
  return program.run(argc, argv, [&] {
    if (longest < 20 || longest > 1280 || steps < 25 || steps > 100000)
      throw Error("--longest must be 20 to 1280, --steps 25 to 100000");
    double nanoseconds = 0, bytes = 0;
    read_costs(longest, seed, nanoseconds, bytes);
    const double ratio = serial(steps, seed);
    result(text("attention costs %.0f ns and %.0f bytes more for each pair (t, i); a chain of 256 units takes %.1f times as long "
                "as the same arithmetic in one product", nanoseconds, bytes, ratio));
  });
}
