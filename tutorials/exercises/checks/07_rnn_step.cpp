// EXPECTED: rnn_step(cell, x, h_before) returns tanh of three terms: from the input, from the state before, the bias.
// HINT: W [x, h] is the same as W x + V h, with two matrices. The second one is cell.from_hidden.
// SHIPPED: The state before is not in it
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
    Rnn<In, Hidden, double> cell;
    initialise(cell, seed);
    initialise_uniform(cell.bias, 1, Random{seed});
    Tape tape;
    const auto x = constant<Batch, In>(noise(6, seed));
    const auto h = constant<Batch, Hidden>(noise(8, seed + 5));
    Var no_memory = tanh(cell.from_input(x) + cell.bias);
    Var no_bias = tanh(cell.from_input(x) + cell.from_hidden(h));
    Var no_tanh = cell.from_input(x) + cell.from_hidden(h) + cell.bias;
    Var h_again = tanh(cell.from_input(x) + h + cell.bias);
    Var found = rnn_step(cell, x, h);
    compare("h_t of two sequences", {"h", cell(x, HiddenState{h}).h.values(), 4}, found.values(),
            {{"h", no_memory.values(), "The state before is not in it: whatever h_{t-1} is, h_t is the same."},
             {"h", no_bias.values(), "The bias is missing."},
             {"h", no_tanh.values(), "That is before the tanh."},
             {"h", h_again.values(), "h_{t-1} goes through a matrix of its own, cell.from_hidden."}});
  }
  return "One state sums up the whole past. Its backward is derived from this line: nothing else is to be written.";
}
