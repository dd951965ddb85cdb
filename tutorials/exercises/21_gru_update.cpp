// 21. Complete: the update of a GRU
//
//     r_t = sigmoid(..)   z_t = sigmoid(..)        of W [x_t, h_{t-1}] + b
//     n_t = tanh(W_n x_t + U_n (r_t h_{t-1}) + b_n)
//     h_t = z_t h_{t-1} + (1 - z_t) n_t
//
// Here z = 1 keeps the old state, as in Cho et al. 2014 and in PyTorch. The last equation is only half there.
#include "layers/gru.hpp"

template <class Cell, class X, class H>
auto gru_step(const Cell& cell, const X& x, const H& h_before) {
  using namespace hindsight;
  Var a = cell.from_input(x) + cell.from_hidden(h_before) + cell.bias;
  Var r = sigmoid(gate<Reset>(a));
  Var z = sigmoid(gate<Update>(a));
  Var n = tanh(cell.candidate_from_input(x) + cell.candidate_from_hidden(r * h_before) + cell.candidate_bias);
  Var h = z * h_before;  // HERE
  return h;
}
