// 7. Complete: one step of a recurrent net
//
//     h_t = tanh(W [x_t, h_{t-1}] + b)
//
// `cell` is an Rnn of the library: cell.from_input, cell.from_hidden and cell.bias are its parts, and a part is
// applied by a call, cell.from_input(x). A term of the equation is missing here, so this net has no memory.
#include "layers/rnn.hpp"

template <class Cell, class X, class H>
auto rnn_step(const Cell& cell, const X& x, const H& h_before) {
  using namespace hindsight;
  // W [x, h] with one matrix is W x + V h with two. This one sum is all that a step knows of the past.
  Var h = tanh(cell.from_input(x) + cell.from_hidden(h_before) + cell.bias);
  return h;
}
