// 5. The GRU: one gate for keeping and writing
//
// h_t = z_t h_{t-1} + (1 - z_t) n_t is a convex update: what is written is what is not kept. It needs
// a quarter fewer parameters than an LSTM, it stays within [-1, 1], and so it cannot count. "GRU" is
// the name of two cells that cannot be turned into each other.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "layers/unroll.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<1> {};
struct In : Axis<3> {};
struct Hidden : Axis<8> {};
constexpr std::size_t H = Hidden::extent;

// "A quarter fewer parameters" is a claim that the compiler checks.
static_assert(4 * parameters<Gru<In, Hidden>> == 3 * parameters<Lstm<In, Hidden>>);
static_assert(parameters<GruResetAfter<In, Hidden>> == parameters<Gru<In, Hidden>> + H, "one more bias, c_n");

// Between the old state and the candidate, in every element, at every step: how far outside is it?
double convexity(std::size_t steps, std::uint64_t seed) {
  Gru<In, Hidden, double> cell;
  initialise(cell, seed);
  Tape tape;
  const auto xs = constant<Time, Batch, In>(tutorial::noise(steps * In::extent, 2, seed), extent<Time>(steps));
  HiddenState s = cell.initial<Batch>();
  double outside = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    const auto x = at<Time>(xs, t);
    Var a = cell.from_input(x) + cell.from_hidden(s.h) + cell.bias;
    Var r = sigmoid(gate<Reset>(a));
    Var n = tanh(cell.candidate_from_input(x) + cell.candidate_from_hidden(r * s.h) + cell.candidate_bias);
    const HiddenState next = cell(x, s);
    for (std::size_t k = 0; k < H; ++k) {
      const double low = std::min(s.h.at(0, k), n.at(0, k)), high = std::max(s.h.at(0, k), n.at(0, k));
      outside = std::max({outside, low - next.h.at(0, k), next.h.at(0, k) - high});
    }
    s = next;
  }
  std::printf("Over %zu steps, h_t was never further than %.0e outside of h_{t-1} .. n_t.\n", steps, std::max(outside, 0.0));
  return std::max(outside, 0.0);
}

// Both forms with the same weights, on the same inputs: the largest difference in h. Reset before:
// U (r h). Reset after: r (U h).
double two_forms(double reset_bias, std::uint64_t seed) {
  Gru<In, Hidden, double> before;
  GruResetAfter<In, Hidden, double> after;
  initialise(before, seed);
  initialise_gate<Reset>(before.bias, reset_bias);
  const auto copy = [](const auto& from, std::size_t gates, auto& to, std::size_t first_gate) {
    const std::size_t rows = from.extents()[0];
    auto edit = to.edit();
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(from.values().begin() + r * gates * H, gates * H, edit.begin() + (r * 3 + first_gate) * H);
  };
  copy(before.from_input.weight, 2, after.from_input.weight, 0);
  copy(before.candidate_from_input.weight, 1, after.from_input.weight, 2);
  copy(before.from_hidden.weight, 2, after.from_hidden.weight, 0);
  copy(before.candidate_from_hidden.weight, 1, after.from_hidden.weight, 2);
  initialise_gate<Reset>(after.bias, reset_bias);

  Tape tape;
  const std::size_t steps = 30;
  const auto xs = constant<Time, Batch, In>(tutorial::noise(steps * In::extent, 2, seed), extent<Time>(steps));
  const auto a = unroll(before, xs, before.initial<Batch>()).outputs.values();
  const auto b = unroll(after, xs, after.initial<Batch>()).outputs.values();
  double difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) difference = std::max(difference, std::abs(a[i] - b[i]));
  return difference;
}

// All gates open: an LSTM's memory adds 1 a step, a GRU's state cannot leave [-1, 1].
void counting() {
  Lstm<In, Hidden, double> lstm;
  initialise_constant(lstm.bias, 20);                // f = i = g = o = 1
  Gru<In, Hidden, double> gru;
  initialise_gate<Update>(gru.bias, -20);            // z = 0: all is written
  initialise_constant(gru.candidate_bias, 20);       // n = 1
  Tape tape;
  const auto xs = constant<Time, Batch, In>(tutorial::noise(50 * In::extent, 2, 1), extent<Time>(50));
  std::printf("\nCounting to 50: the LSTM's memory is at %.3f, the GRU's state at %.3f.\n",
              unroll(lstm, xs, lstm.initial<Batch>()).last.c.at(0, 0), unroll(gru, xs, gru.initial<Batch>()).last.h.at(0, 0));
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("The GRU: the convex update, its two forms, its parameters.");
  std::uint64_t seed = 1, steps = 100;
  program.option("--seed", seed, "of the weights and inputs");
  program.option("--steps", steps, "of the sequence on which the update is watched");
  return program.run(argc, argv, [&] {
    std::printf("Parameters for In = %zu, Hidden = %zu:  LSTM %zu,  GRU %zu (3/4),  GRU with reset after %zu\n\n", In::extent,
                H, parameters<Lstm<In, Hidden>>, parameters<Gru<In, Hidden>>, parameters<GruResetAfter<In, Hidden>>);
    const double outside = convexity(steps, seed);
    std::printf("\nBoth forms with the same weights, the largest difference in h over 30 steps:\n");
    tutorial::Table table("05_gru_forms", {"reset bias", "difference"});
    for (double bias : {-20.0, -2.0, 0.0, 2.0, 20.0}) table.row({bias, two_forms(bias, seed)});
    table.print();
    table.save();
    std::printf("  r (U h) is U (r h) where r is one number for all units, as with all gates open or all shut.\n");
    counting();
    result(text("GRU %zu parameters, LSTM %zu; h_t leaves h_{t-1} .. n_t by at most %.0e; the two forms differ by %.2f at reset bias 0",
                parameters<Gru<In, Hidden>>, parameters<Lstm<In, Hidden>>, outside, two_forms(0, seed)));
  });
}
