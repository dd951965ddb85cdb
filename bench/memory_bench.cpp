// How much memory a training step takes, with and without checkpoints.
//
// A character model, embedding, LSTM 128 -> 128 and logits over 64 symbols, reads T symbols of 8 sequences as one
// recording, backwards over all of it, and is updated by Adam. With checkpoints sqrt(T) steps are recorded at a time:
// their inputs and their share of the loss are made in the segment. `sum` is what must be kept: what backward reads of
// one segment, and the states between segments. Each line is a process of its own.
//
//     bench/run memory [T...]
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "autodiff/backward.hpp"
#include "autodiff/checkpoint.hpp"
#include "autodiff/loss.hpp"
#include "autodiff/optimizers.hpp"
#include "layers/embedding.hpp"
#include "layers/linear.hpp"
#include "layers/lstm.hpp"
#include "layers/unroll.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<8> {};
struct Vocab : Axis<64> {};
struct In : Axis<128> {};
struct Hidden : Axis<128> {};

constexpr double megabyte = 1e6;

struct Model {
  using Symbols = Embedding<Vocab, In>;
  using Cell = Lstm<In, Hidden>;
  using ToLogits = Affine<Hidden, Vocab>;
  BOOST_HANA_DEFINE_STRUCT(Model, (Symbols, symbols), (Cell, cell), (ToLogits, to_logits));
};

/// Each symbol follows from the one before, but for one in eight: there is something to learn. Time x Batch, T + 1 of
/// them, as the last is a target only.
std::vector<std::int32_t> text(std::size_t steps) {
  std::vector<std::int32_t> symbols((steps + 1) * Batch::extent);
  const Random random{1};
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const auto drawn = static_cast<std::int32_t>(random.below(8 * Vocab::extent, i));
    const std::int32_t before = i < Batch::extent ? 0 : symbols[i - Batch::extent];
    symbols[i] = drawn < 64 ? drawn : (5 * before + 3) % 64;
  }
  return symbols;
}

/// A training step over all of the text, with segments of `each` steps; the loss, in nats a symbol.
float train(Model& model, Adam& adam, Tape& tape, const std::vector<std::int32_t>& symbols, std::size_t each) {
  const std::span<const std::int32_t> all(symbols);
  const std::size_t steps = symbols.size() / Batch::extent - 1;
  const auto segment = [&](const State<float, Batch, Hidden>& state, std::size_t begin, std::size_t end) {
    const std::size_t at = begin * Batch::extent, count = (end - begin) * Batch::extent;
    const auto xs = model.symbols.lookup<Time, Batch>(all.subspan(at, count), extent<Time>(end - begin));
    const auto run = unroll(model.cell, xs, state);
    Var logits = model.to_logits(run.outputs);
    const CrossEntropyOptions of_all{.tokens = steps * Batch::extent};
    return std::tuple(run.last, Var(cross_entropy<Vocab>(logits, all.subspan(at + Batch::extent, count), of_all)));
  };
  tape.reset();
  auto state = model.cell.initial<Batch>();
  Var<float> loss = filled<float>(0.0f);
  for (std::size_t begin = 0; begin < steps; begin += each) {
    const std::size_t end = std::min(steps, begin + each);
    const auto [last, share] = each < steps ? checkpoint(segment, state, begin, end) : segment(state, begin, end);
    state = last;
    loss = loss + share;
  }
  backward(loss);
  adam.step(model);
  clear_gradients(model);
  return loss.item();
}

/// What a process found, in bytes, seconds and nats.
struct Found {
  double tape, process, seconds, first_loss, last_loss;
};

/// Some training steps over T symbols; the time is that of the fastest.
Found measure(std::size_t steps, std::size_t each) {
  Model model;
  initialise(model, 1);
  Adam adam;
  const auto symbols = text(steps);
  Tape tape;
  Found found{0, 0, 1e9, 0, 0};
  for (int n = 0; n < (steps > 20'000 ? 2 : 4); ++n) {
    const auto begin = std::chrono::steady_clock::now();
    found.last_loss = train(model, adam, tape, symbols, each);
    if (n == 0) found.first_loss = found.last_loss;
    found.seconds =
        std::min(found.seconds, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  found.tape = static_cast<double>(tape.peak());
  found.process = 1024.0 * static_cast<double>(usage.ru_maxrss);
  return found;
}

/// The same in a process of its own, whose memory is its own too.
Found measure_apart(std::size_t steps, std::size_t each) {
  int ends[2];
  if (pipe(ends) != 0) throw Error("memory_bench: no pipe");
  const pid_t child = fork();
  if (child < 0) throw Error("memory_bench: no second process");
  if (child == 0) {
    const Found found = measure(steps, each);
    _exit(write(ends[1], &found, sizeof found) == sizeof found ? 0 : 1);
  }
  close(ends[1]);
  Found found;
  const bool whole = read(ends[0], &found, sizeof found) == sizeof found;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  if (!whole) throw Error("memory_bench: the process that measures ended early");
  return found;
}

/// The bytes that backward reads of a step: x; the four gates, tanh(c), c and h; the logits.
constexpr double needed_by_a_step = 4.0 * Batch::extent * (In::extent + 7 * Hidden::extent + Vocab::extent);
/// The bytes of the state between two segments, c and h and their gradients.
constexpr double state_between = 4.0 * Batch::extent * 4 * Hidden::extent;

void report(std::size_t steps) {
  constexpr std::size_t longest = 20'000;  // that is recorded as a whole
  const auto line = [steps](std::size_t each, const Found& found) {
    const double segments = std::ceil(static_cast<double>(steps) / static_cast<double>(each));
    const double sum = segments * (each < steps ? state_between : 0) + static_cast<double>(each) * needed_by_a_step;
    std::printf("%7zu %8zu %9.1f %9.1f %9.1f %9.2f   %.3f -> %.3f", steps, each, sum / megabyte, found.tape / megabyte,
                found.process / megabyte, found.seconds, found.first_loss, found.last_loss);
  };
  Found whole{};
  if (steps <= longest) {
    line(steps, whole = measure_apart(steps, steps));
    std::puts("");
  }
  const Found segments = measure_apart(steps, segment_for(steps));
  line(segment_for(steps), segments);
  if (steps <= longest) std::printf("   %.2f of the time", segments.seconds / whole.seconds);
  std::puts("");
}

struct Many : Axis<32> {};
struct Steps : Axis<50> {};

/// An ordinary step of an LSTM, and what of its memory is what.
void report_one_recording() {
  Lstm<In, Hidden> cell;
  initialise(cell, 1);
  Tape tape;
  const auto x = variable<Steps, Many, In>(std::vector<float>(Steps::extent * Many::extent * In::extent, 0.5f));
  const auto run = unroll(cell, x, cell.initial<Many>());
  const double recorded = static_cast<double>(tape.used());
  Var loss = mean(square(run.outputs));
  backward(loss);
  const double block = 4.0 * Steps::extent * Many::extent * Hidden::extent / megabyte;  // of H numbers a step
  const double peak = static_cast<double>(tape.peak()) / megabyte;
  std::printf("\na step of the LSTM, 128 -> 128, 32 sequences of 50 steps, in MB\n");
  std::printf("%9.2f  read by backward: x; four gates, tanh(c), c, h\n", 8 * block);
  std::printf("%9.2f  gradients: x; the gates' sums, c, h, outputs\n", 8 * block);
  std::printf("%9.2f  the gates' sums before their functions, and h once more as outputs\n", 5 * block);
  std::printf("%9.2f  statements, first states, ends of blocks\n", recorded / megabyte - 21 * block);
  std::printf("%9.2f  the loss\n", peak - recorded / megabyte);
  std::printf("%9.2f  peak of the tape: %.2f of what backward reads\n", peak, peak / (8 * block));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::size_t> lengths;
    for (int i = 1; i < argc; ++i) {
      const std::string_view text(argv[i]);
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), lengths.emplace_back());
      if (error != std::errc{} || end != text.data() + text.size() || lengths.back() == 0)
        throw Error("bench/run memory: \"" + std::string(text) + "\" is not a number of steps");
    }
    if (lengths.empty()) lengths = {1'000, 10'000, 100'000};
    std::puts("a character model, LSTM 128 -> 128, 8 sequences of T steps; in MB, seconds, nats a symbol");
    std::puts("      T  segment      sum      tape   process   seconds   loss");
    for (const std::size_t steps : lengths) report(steps);
    report_one_recording();  // last: what computes here is not in the processes
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
