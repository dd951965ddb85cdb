// EXPECTED: gru_step returns h_t = z_t h_{t-1} + (1 - z_t) n_t.
// HINT: An expression may hold numbers: 1 - z is one.
// SHIPPED: it only fades
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

using namespace hindsight;
namespace {
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<4> {};
}  // namespace

std::string exercise::check() {
  for (std::uint64_t seed : {1, 2}) {
    Gru<In, Hidden, double> cell;
    initialise(cell, seed);
    initialise_uniform(cell.bias, 1, Random{seed});
    initialise_uniform(cell.candidate_bias, 1, Random{seed}.child("n"));
    Tape tape;
    const auto x = constant<Batch, In>(noise(6, seed));
    const auto h = constant<Batch, Hidden>(noise(8, seed + 5));
    Var a = cell.from_input(x) + cell.from_hidden(h) + cell.bias;
    Var z = sigmoid(gate<Update>(a));
    Var r = sigmoid(gate<Reset>(a));
    Var n = tanh(cell.candidate_from_input(x) + cell.candidate_from_hidden(r * h) + cell.candidate_bias);
    Var faded = z * h, whole = z * h + n, both = z * h + z * n, other_way = (1 - z) * h + z * n;
    Var found = gru_step(cell, x, h);
    compare("h_t of two sequences", {"h", cell(x, HiddenState{h}).h.values(), 4}, found.values(),
            {{"h", faded.values(), "Nothing is written into the state: it only fades."},
             {"h", whole.values(), "The candidate is written whole; its share is what is not kept."},
             {"h", both.values(), "The candidate's share is z as well; it is what is not kept, 1 - z."},
             {"h", other_way.values(), "z is the wrong way round: here z = 1 keeps."}});
  }
  return "A convex update: what comes in is what goes out. One gate does the work of the LSTM's two.";
}
