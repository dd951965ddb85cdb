// EXPECTED: lstm_step returns State{h, c} with c_t = f_t c_{t-1} + i_t g_t.
// HINT: sigmoid(gate<Forget>(z)) is f_t. Write i_t and g_t in the same way; one of them is no sigmoid.
// SHIPPED: Nothing is written
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
    Lstm<In, Hidden, double> cell;
    initialise(cell, seed);
    initialise_uniform(cell.bias, 1, Random{seed});
    Tape tape;
    const auto x = constant<Batch, In>(noise(6, seed));
    const State before{constant<Batch, Hidden>(noise(8, seed + 5)), constant<Batch, Hidden>(noise(8, seed + 6))};
    const auto right = cell(x, before), found = lstm_step(cell, x, before);
    Var z = cell.from_input(x) + cell.from_hidden(before.h) + cell.bias;
    Var kept = sigmoid(gate<Forget>(z)) * before.c;
    Var i = sigmoid(gate<Input>(z));
    Var no_gate = kept + tanh(gate<Candidate>(z)), no_candidate = kept + i, no_tanh = kept + i * gate<Candidate>(z),
        sigmoids = kept + i * sigmoid(gate<Candidate>(z));
    compare("c_t of two sequences", {"c", right.c.values(), 4}, found.c.values(),
            {{"c", kept.values(), "Nothing is written: i_t g_t is missing."},
             {"c", no_gate.values(), "The candidate is written whole; the input gate says how much of it."},
             {"c", no_candidate.values(), "That adds the gate itself; it is multiplied by the candidate g_t."},
             {"c", no_tanh.values(), "The candidate has a tanh."},
             {"c", sigmoids.values(), "The candidate is a tanh: with a sigmoid the memory could only grow."}});
    compare("h_t of two sequences", {"h", right.h.values(), 4}, found.h.values());
  }
  return "What stays plus what is written: the gradient along the memory is f_t, a number that the net chooses.";
}
