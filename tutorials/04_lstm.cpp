// 4. The LSTM gate by gate
//
// c_t = f_t c_{t-1} + i_t g_t gives the memory a path of its own: d c_t / d c_{t-1} = f_t, a number the
// net chooses, in place of a matrix it is stuck with. Where f is near 1 the gradient survives; it is
// still a product, and still fades. What is kept need not be shown: that is the output gate.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/optimizers.hpp"
#include "autodiff/reductions.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<1> {};
struct In : Axis<4> {};
struct Hidden : Axis<16> {};
constexpr std::size_t H = Hidden::extent;

// With h_{t-1} held apart, the whole Jacobian d c_t / d c_{t-1} is diag(f_t).
double memory_slope_is_the_forget_gate(std::uint64_t seed) {
  Lstm<In, Hidden, double> cell;
  initialise(cell, seed);
  Tape tape;
  const auto x = constant<Batch, In>(tutorial::noise(In::extent, 0.3, seed));
  const State s{constant<Batch, Hidden>(tutorial::noise(H, 0.2, seed)), variable<Batch, Hidden>(tutorial::noise(H, 1, seed + 1))};
  const auto next = cell(x, s);
  const std::vector<double> J = jacobian(next.c, s.c);
  Var f = sigmoid(gate<Forget>(cell.from_input(x) + cell.from_hidden(s.h) + cell.bias));
  double worst = 0;
  for (std::size_t i = 0; i < H; ++i)
    for (std::size_t j = 0; j < H; ++j) worst = std::max(worst, std::abs(J[i * H + j] - (i == j ? f.at(0, i) : 0.0)));
  std::printf("d c_t / d c_{t-1} by the engine, minus diag(f_t): at most %.0e in %zu x %zu entries.\n\n", worst, H, H);
  return worst;
}

// |gradient| at the state k steps before the end, of the memory for an LSTM, of h for a recurrent net.
template <class Cell, class State, class Memory>
std::vector<double> by_lag(const Cell& cell, const State& s0, std::size_t steps, std::uint64_t seed, Memory memory) {
  const auto xs = variable<Time, Batch, In>(tutorial::noise(steps * In::extent, 0.3, seed), extent<Time>(steps));
  const auto run = unroll(cell, xs, s0);
  backward(memory(run.last), constant<Batch, Hidden>(std::vector<double>(H, 1 / std::sqrt(double{H}))));
  std::vector<double> norms;
  for (std::size_t k = 0; k < steps; ++k) norms.push_back(tutorial::norm(memory(run.states[steps - 1 - k]).gradients()));
  return norms;
}

// The second curve of each LSTM is of the same cell with h cut off from the past: what is left is the
// memory's own path, f_T f_{T-1} ...
std::vector<std::vector<double>> draw_lags(std::size_t steps, std::uint64_t seed) {
  const auto memory = [](const auto& s) { return s.c; };
  std::vector<std::string> columns{"lag", "RNN"};
  std::vector<std::vector<double>> curves;
  Tape tape;
  Rnn<In, Hidden, double> rnn;
  initialise(rnn, seed);
  curves.push_back(by_lag(rnn, rnn.initial<Batch>(), steps, seed, [](const auto& s) { return s.h; }));
  for (double forget_bias : {0.0, 1.0, 2.0}) {
    Lstm<In, Hidden, double> cell;
    cell.forget_bias = forget_bias;
    initialise(cell, seed);
    const auto memory_alone = [&](const auto& x, const auto& s) { return cell(x, State{detach(s.h), s.c}); };
    columns.push_back(text("LSTM b_f=%.0f", forget_bias));
    curves.push_back(by_lag(cell, cell.initial<Batch>(), steps, seed, memory));
    columns.push_back(text("c alone b_f=%.0f", forget_bias));
    curves.push_back(by_lag(memory_alone, cell.initial<Batch>(), steps, seed, memory));
  }
  tutorial::Table table("04_lstm_by_lag", columns);
  for (std::size_t k = 0; k < steps; ++k) {
    std::vector<double> row{static_cast<double>(k)};
    for (const auto& curve : curves) row.push_back(curve[k]);
    table.row(row);
  }
  std::printf("The norm of the gradient k steps back, before any training, by the first forget bias b_f: all of it,\n"
              "and what passes through the memory alone, the product of the forget gates.\n");
  table.print(steps / 6);
  table.save({.title = "The gradient by lag: the nearer to 1 the gate, the later it fades", .x = "lag k", .y = "norm",
              .see = "what passes through the memory alone falls with the forget gate, the later the nearer it is to 1", .log_y = true});
  return curves;
}

// Forget gate open, output gate shut: the memory is kept, and not shown.
void kept_and_not_shown() {
  Lstm<In, Hidden, double> cell;  // all weights 0, so the gates are what the biases say
  initialise_gate<Forget>(cell.bias, 12);
  initialise_gate<Input>(cell.bias, -12);
  initialise_gate<Output>(cell.bias, -12);
  Tape tape;
  const std::size_t steps = 200;
  const auto xs = constant<Time, Batch, In>(tutorial::noise(steps * In::extent, 0.3, 1), extent<Time>(steps));
  const State s0{filled<double, Batch, Hidden>(0.0), variable<Batch, Hidden>(std::vector<double>(H, 0.7))};
  const auto run = unroll(cell, xs, s0);
  Var c = sum(run.last.c);
  backward(c);
  std::printf("\nKept and not shown, over %zu steps: c = 0.7 became %.4f, h is %.0e, and d c_%zu / d c_0 = %.4f.\n", steps,
              run.last.c.at(0, 0), run.last.h.at(0, 0), steps, s0.c.gradient_at(0, 0));
}

// Precise timing (after Gers, Schraudolph and Schmidhuber 2002): exactly `delay` steps after each pulse,
// say 1, and 0 at all other steps. To count in the dark, output gate shut, and still see when the
// count is full: that is what a peephole is for.
struct Pulses : Axis<1> {};
struct Few : Axis<4> {};
struct Answer : Axis<1> {};
struct Many : Axis<32> {};

template <class Cell>
struct Timer {
  using ReadOut = Affine<Few, Answer>;
  BOOST_HANA_DEFINE_STRUCT(Timer, (Cell, cell), (ReadOut, read_out));
};

// The squared error that is left in the last 50 updates, as a share of that of always saying 0.
template <class Cell>
double timing_error(std::uint64_t seed, std::size_t updates) {
  constexpr std::size_t steps = 120, n = Many::extent, delay = 24;
  Timer<Cell> timer;
  initialise(timer, seed);
  Adam adam({.rate = 1e-2});
  Tape tape;
  double left = 0, all = 0;
  for (std::size_t u = 0; u < updates; ++u) {
    const Random random = Random{seed}.child("pulses").child(u);
    std::vector<float> x(steps * n), target(steps * n);
    for (std::size_t b = 0; b < n; ++b)
      for (std::size_t t = random.child(b).below(10, 0); t < steps; t += 30 + random.child(b).below(10, t + 1)) {
        x[t * n + b] = 1;
        if (t + delay < steps) target[(t + delay) * n + b] = 1;
      }
    tape.reset();
    const auto xs = constant<Time, Many, Pulses>(x, extent<Time>(steps));
    const auto run = unroll(timer.cell, xs, timer.cell.template initial<Many>());
    Var loss = mean(square(timer.read_out(run.outputs) - constant<Time, Many, Answer>(target, extent<Time>(steps))));
    backward(loss);
    clip_by_global_norm(timer, 1);
    adam.step(timer);
    clear_gradients(timer);
    if (u + 50 < updates) continue;
    left += loss.item();
    for (float y : target) all += y / static_cast<float>(target.size());
  }
  return left / all;
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("The LSTM gate by gate: its memory's slope, its reach, its secrets, its peepholes.");
  std::uint64_t seed = 1, steps = 400, updates = 3000;
  program.option("--seed", seed, "of weights, inputs and pulses");
  program.option("--steps", steps, "the longest lag");
  program.option("--updates", updates, "training steps of the timing task, for each of ten seeds");
  return program.run(argc, argv, [&] {
    if (steps < 10 || updates < 1) throw Error("--steps must be at least 10, --updates at least 1");
    const double slope = memory_slope_is_the_forget_gate(seed);
    const auto curves = draw_lags(steps, seed);
    const auto far = [&](std::size_t curve) { return curves[curve][std::min<std::size_t>(100, steps - 1)]; };
    kept_and_not_shown();

    double left[20];  // ten seeds, without and with peepholes
    tutorial::in_parallel(std::size(left), [&](std::size_t job) {
      left[job] = job % 2 == 0 ? timing_error<Lstm<Pulses, Few>>(seed + job / 2, updates)
                               : timing_error<PeepholeLstm<Pulses, Few>>(seed + job / 2, updates);
    });
    std::printf("\nTiming, four memory cells, ten seeds: the squared error that is left (always saying 0: 1).\n");
    std::size_t learned[2] = {};
    for (std::size_t job = 0; job < std::size(left); ++job) {
      if (job % 2 == 0) std::printf("  LSTM %.2f   with peepholes %.2f\n", left[job], left[job + 1]);
      learned[job % 2] += left[job] < 0.25;
    }
    result(text("dc/dc = f to %.0e; untrained, at lag 100 a memory with b_f 0, 1, 2 passes %.0e, %.0e, %.0e, an orthogonal RNN %.0e; "
                "timing learned by %zu of 10 LSTMs, %zu of 10 with peepholes",
                slope, far(2), far(4), far(6), far(0), learned[0], learned[1]));
  });
}
