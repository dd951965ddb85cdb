// EXPECTED: peephole_step returns State{h, c} as the equations say.
// HINT: c is right. Which memory has the output gate, and which one does it see here?
// SHIPPED: The output gate sees the old memory
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
    PeepholeLstm<In, Hidden, double> cell;
    initialise(cell, seed);
    initialise_uniform(cell.to_forget, 2, Random{seed}.child("f"));
    initialise_uniform(cell.to_input, 2, Random{seed}.child("i"));
    initialise_uniform(cell.to_output, 2, Random{seed}.child("o"));
    Tape tape;
    const auto x = constant<Batch, In>(noise(6, seed));
    const State before{constant<Batch, Hidden>(noise(8, seed + 5)), constant<Batch, Hidden>(noise(8, seed + 6, 2))};
    const auto right = cell(x, before), found = peephole_step(cell, x, before);
    Var z = cell.from_input(x) + cell.from_hidden(before.h) + cell.bias;
    Var old = sigmoid(gate<Output>(z) + cell.to_output * before.c) * tanh(right.c);
    Var blind = sigmoid(gate<Output>(z)) * tanh(right.c);
    compare("c_t of two sequences", {"c", right.c.values(), 4}, found.c.values());
    compare("h_t of two sequences", {"h", right.h.values(), 4}, found.h.values(),
            {{"h", old.values(), "The output gate sees the old memory; o_t is made of c_t."},
             {"h", blind.values(), "The output gate sees no memory at all."}});
  }
  return "With peepholes a memory that is not shown can still open "
         "its gate: that is how an LSTM learns exact intervals.";
}
