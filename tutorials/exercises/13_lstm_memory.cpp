// 13. Complete: the memory of an LSTM
//
//     f_t = sigmoid(..)   i_t = sigmoid(..)   g_t = tanh(..)   o_t = sigmoid(..)        all of z = W [x_t, h_{t-1}] + b
//     c_t = f_t c_{t-1} + i_t g_t
//     h_t = o_t tanh(c_t)
//
// gate<Input>(z) is a gate's part of z; the candidate's is gate<Candidate>(z). This memory can only fade: half of an
// equation is missing.
#include "layers/lstm.hpp"

template <class Cell, class X, class S>
auto lstm_step(const Cell& cell, const X& x, const S& before) {
  using namespace hindsight;
  Var z = cell.from_input(x) + cell.from_hidden(before.h) + cell.bias;  // W [x_t, h_{t-1}] + b
  Var c = sigmoid(gate<Forget>(z)) * before.c;                          // HERE
  Var h = sigmoid(gate<Output>(z)) * tanh(c);                           // h_t = o_t tanh(c_t)
  return State{h, c};
}
