// 19. Find the bug: an LSTM with peepholes
//
//     f_t = sigmoid(.. + p_f c_{t-1})     i_t = sigmoid(.. + p_i c_{t-1})
//     c_t = f_t c_{t-1} + i_t g_t
//     o_t = sigmoid(.. + p_o c_t)         h_t = o_t tanh(c_t)
//
// The gates see the memory, and not only what was shown of it (Gers and Schmidhuber 2000). Compare each line with its
// equation.
#include "layers/peephole_lstm.hpp"

template <class Cell, class X, class S>
auto peephole_step(const Cell& cell, const X& x, const S& before) {
  using namespace hindsight;
  Var z = cell.from_input(x) + cell.from_hidden(before.h) + cell.bias;
  Var f = sigmoid(gate<Forget>(z) + cell.to_forget * before.c);
  Var i = sigmoid(gate<Input>(z) + cell.to_input * before.c);
  Var c = f * before.c + i * tanh(gate<Candidate>(z));
  // The output gate decides when c_t is known already, and looks at it: f and i had to decide before.
  Var o = sigmoid(gate<Output>(z) + cell.to_output * c);
  Var h = o * tanh(c);
  return State{h, c};
}
