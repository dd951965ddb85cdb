// 10. The bottleneck, measured
//
// Reciting T symbols out of S sends T log2 S bits through one state c. How many it holds is seen from what comes out:
// with e_t the share of wrong symbols at step t, by Fano's inequality (1961),
//
//     I(X; c) >= sum_t I(X_t; Y_t) >= sum_t log2 S - H(e_t) - e_t log2(S - 1)      H(e) = -e log2 e - (1-e) log2(1-e)
//
// Is it the length that hurts, or what must be kept? Recalling the k-th symbol takes log2 S bits if k is told before
// reading, and all T log2 S if only the decoder is told: the encoder cannot know which one will be asked for. To say
// which symbol was marked takes log2 S bits at any length: a task that does not feel the bottleneck.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "layers/gru.hpp"
#include "models/decoding.hpp"
#include "tutorials/program.hpp"
#include "tutorials/tasks.hpp"

using namespace hindsight;
using namespace hindsight::tutorial;

namespace {

struct Emb : Axis<16> {};
template <std::size_t N>
struct Size : Axis<N> {};
template <std::size_t N>  // the fixed vector, fed at every step: the better one of tutorial 9
using Net = EncoderDecoder<Unidirectional<Gru<Emb, Size<N>>>, Decoder<Gru, Emb, Size<N>, LastState<Size<N>>>>;

struct Options {
  std::uint64_t seed = 1, updates = 4000, symbols = 8, longest = 40;
};

enum class Task { recite, told_before, told_after, classify };

// In steps of 5, and half as far again as was trained.
std::vector<std::size_t> tested_lengths(std::size_t longest) {
  std::vector<std::size_t> lengths;
  for (std::size_t n = 5; 2 * n <= 3 * longest; n += 5) lengths.push_back(n);
  return lengths;
}

// Random sequences of one length. Ids behind those of the symbols are numbers k, or symbols with a mark. In sequences
// longer than any trained on, k is one of the trained numbers all the same.
PairBatch problems(Task task, std::size_t count, std::size_t length, const Options& o, const Random& random) {
  Pairs pairs = recite(count, length, length, o.symbols, random);
  if (task == Task::recite) return pairs.batch();
  std::vector<std::int32_t> first(count, bos), answers(count);
  for (std::size_t b = 0; b < count; ++b) {
    std::vector<int>& x = pairs.sources[b];
    const std::size_t k = random.child("k").below(std::min<std::size_t>(length, o.longest), b);
    const int number = first_symbol + static_cast<int>(o.symbols + k);
    answers[b] = x[k];
    if (task == Task::told_before) x.insert(x.begin(), number);       // the source is k x_1 .. x_T
    if (task == Task::told_after) first[b] = number;                  // the decoder begins with k, not with bos
    if (task == Task::classify) x[k] += static_cast<int>(o.symbols);  // marked
  }
  pairs.targets.assign(count, {});  // of an empty target only eos is left: one step
  PairBatch batch = pairs.batch();
  batch.inputs = first;
  batch.targets = answers;
  return batch;
}

// The share of right symbols at each target step, on 300 sequences. What is recited is written freely.
template <class Model>
std::vector<double> accuracy(const Model& net, Task task, std::size_t length, const Options& o, const Random& random) {
  const PairBatch batch = problems(task, 300, length, o, random);
  const std::size_t n = batch.size(), steps = task == Task::recite ? length : 1;
  Tape tape;
  const NoRecording guard;
  const Written written = task == Task::recite ? greedy(net, batch, bos, eos, length) : Written();
  const std::vector<std::int32_t> found = task == Task::recite ? PairBatch::of(written, written, bos, eos).sources
                                                               : argmax<TargetVocab>(net(batch).logits);
  std::vector<double> right(steps);
  for (std::size_t at = 0; at < std::min(found.size(), steps * n); ++at)  // Target x Batch
    if (found[at] == batch.targets[at]) right[at / n] += 1 / static_cast<double>(n);
  return right;
}

// What must have come through, at least. Of the log2 S bits of X_t those are taken off that may still be open once
// Y_t is known: whether it is wrong, H(e), and if so, which other symbol it is (Fano). The X_t are independent, so the
// rest adds up over t. 0 at chance, T log2 S where all is right. A bound: more may be there, and not be made use of.
double bits_passed(const std::vector<double>& right, double symbols) {
  double bits = 0;
  for (const double a : right) {
    const double e = std::max(1 - a, 1e-12);  // 0 log 0 = 0
    if (a > 1 / symbols) bits += std::log2(symbols) + a * std::log2(a) + e * std::log2(e / (symbols - 1));
  }
  return bits;
}

struct Measured {
  std::vector<double> right, bits;  // by tested length
};

// Each task in the way that was the best of eight for it, four rates and two orders of lengths, on sequences and with
// seeds of their own (11 and 12). To let lengths grow to the longest over the first part of the updates helps where
// all must be kept, and does not where one has to learn to count to k.
template <std::size_t N>
Measured train(Task task, std::size_t updates, const Options& o, std::uint64_t seed) {
  const double rate = task == Task::recite ? 12e-3 : task == Task::told_after ? 5e-3 : 3e-3;
  const std::size_t vocabulary = first_symbol + o.symbols + std::max(o.symbols, o.longest);
  auto net = Net<N>::of(vocabulary, vocabulary, seed);
  Adam adam({.rate = rate});
  Tape tape;
  const Random random{seed};
  for (std::size_t u = 0; u < updates && !interrupted(); ++u) {
    const double done = static_cast<double>(u) / static_cast<double>(updates);
    adam.rate = rate * (done < 0.65 ? 1 : done < 0.85 ? 0.3 : 0.1);
    const double grown = task == Task::recite || task == Task::told_after ? std::min(1.0, done / 0.6) : 1;
    const std::size_t lengths = 1 + static_cast<std::size_t>(grown * static_cast<double>(o.longest - 2));
    const Random two = random.child("length").child(u);  // the larger one, or large k would be rare
    const std::size_t length = 2 + std::max(two.below(lengths, 0), two.below(lengths, 1));
    train_step(net, problems(task, 32, length, o, random.child("train").child(u)), adam, tape, seed);
  }
  Measured measured;
  for (const std::size_t length : tested_lengths(o.longest)) {
    const std::vector<double> right = accuracy(net, task, length, o, random.child("test").child(length));
    measured.right.push_back(std::accumulate(right.begin(), right.end(), 0.0) / static_cast<double>(right.size()));
    measured.bits.push_back(bits_passed(right, static_cast<double>(o.symbols)));
  }
  return measured;
}

SeedCurve curve(const char* name, const Measured* three, std::vector<double> Measured::*numbers) {
  return {name, {three[0].*numbers, three[1].*numbers, three[2].*numbers}};
}

}  // namespace

int main(int argc, char** argv) {
  Program program("The bottleneck: what a vector of fixed size holds, and which tasks feel it.");
  Options o;
  program.option("--seed", o.seed, "the first of three seeds of weights and sequences");
  program.option("--updates", o.updates, "training steps of each net, of 32 sequences each");
  program.option("--symbols", o.symbols, "S, different symbols");
  program.option("--longest", o.longest, "the longest sequence trained on");
  return program.run(argc, argv, [&] {
    if (o.updates < 10 || o.symbols < 2 || o.symbols > 1000 || o.longest < 10 || o.longest > 200)
      throw Error("--updates must be at least 10, --symbols 2 to 1000, --longest 10 to 200");
    std::vector<Measured> nets(18);
    in_parallel(nets.size(), [&](std::size_t job) {
      const std::uint64_t seed = o.seed + job % 3;
      nets[job] = job < 3    ? train<64>(Task::recite, o.updates, o, seed)
                  : job < 6  ? train<64>(Task::told_before, o.updates, o, seed)
                  : job < 9  ? train<64>(Task::told_after, o.updates, o, seed)
                  : job < 12 ? train<32>(Task::recite, o.updates, o, seed)
                  : job < 15 ? train<16>(Task::recite, o.updates, o, seed)
                             : train<64>(Task::classify, o.updates / 4, o, seed);  // it needs no more
      std::fprintf(stderr, "net %zu of 18: done\n", job + 1);
    });
    if (interrupted()) throw Error("interrupted");
    const std::size_t longest = o.longest;
    const std::vector<std::size_t> lengths = tested_lengths(longest);
    SeedCurve must_pass{"T log2 S", {{}}};
    for (const std::size_t T : lengths)
      must_pass.seeds[0].push_back(static_cast<double>(T) * std::log2(static_cast<double>(o.symbols)));

    const Measured *size64 = &nets[0], *size32 = &nets[9], *size16 = &nets[12];
    const Measured *before = &nets[3], *after = &nets[6], *marked = &nets[15];
    std::printf("On 300 freshly drawn sequences a length; mean of three seeds (lowest - highest). Guessing: %.3f.\n"
                "Trained on T = 2 .. %zu; what is longer is extrapolation.\n\nReciting, right symbols:\n",
                1.0 / static_cast<double>(o.symbols), longest);
    const auto right = &Measured::right, bits = &Measured::bits;
    const double mark = static_cast<double>(longest);
    draw_seeds("10_reciting", lengths,
               {curve("state 16", size16, right), curve("state 32", size32, right), curve("state 64", size64, right)},
               {.title = "Reciting through one state of 16, 32 or 64 numbers", .x = "length T", .y = "right symbols",
                .see = "it falls well inside the training range, later where the state is larger", .mark = mark});
    std::printf("\nReciting, the bits that must pass and the bits seen to pass:\n");
    draw_seeds("10_bits", lengths, {must_pass, curve("state 16", size16, bits), curve("state 32", size32, bits),
                                    curve("state 64", size64, bits)},
               {.title = "Reciting: bits that must pass, and bits seen to pass", .x = "length T", .y = "bits",
                .see = "a larger state lets more pass; past its limit less is seen", .log_y = true, .mark = mark});
    std::printf("\nOne symbol of T through a state of 64, right answers:\n");
    draw_seeds("10_recall", lengths, {curve("told before", before, right), curve("told after", after, right),
                                      curve("which marked", marked, right)},
               {.title = "One symbol of T, through a state of 64 numbers", .x = "length T", .y = "right symbols",
                .see = "it falls where k is told too late, so that all must be kept", .mark = mark});

    const auto of = [](const Measured* n, auto number) { return spread({number(n[0]), number(n[1]), number(n[2])}); };
    const auto most = [](const Measured& m) { return *std::max_element(m.bits.begin(), m.bits.end()); };
    const auto end = [at = longest / 5 - 1](const Measured& m) { return m.right[at]; };
    result(text("bits seen to pass at most, state 16 %s, 32 %s, 64 %s; right at T = %zu with 64: reciting %s, k told "
                "before %s, told after %s, which marked %s", of(size16, most).c_str(), of(size32, most).c_str(),
                of(size64, most).c_str(), lengths[longest / 5 - 1], of(size64, end).c_str(), of(before, end).c_str(),
                of(after, end).c_str(), of(marked, end).c_str()));
  });
}
