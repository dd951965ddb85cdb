// The LSTM with peepholes (Gers and Schmidhuber 2000): the gates see the memory itself, and not only
// what the output gate shows of it. p * c is elementwise: one weight a memory cell.
//
//     f_t = sigmoid(W_f [x_t, h_{t-1}] + p_f c_{t-1} + b_f)
//     i_t = sigmoid(W_i [x_t, h_{t-1}] + p_i c_{t-1} + b_i)
//     g_t = tanh   (W_g [x_t, h_{t-1}] + b_g)
//     c_t = f_t c_{t-1} + i_t g_t
//     o_t = sigmoid(W_o [x_t, h_{t-1}] + p_o c_t + b_o)          the output gate sees the new memory
//     h_t = o_t tanh(c_t)
#pragma once

#include "layers/lstm.hpp"

namespace hindsight {

/// A peephole LSTM cell: Batch x In, State of Batch x H -> State of Batch x H. Peepholes begin at 0.
template <IsAxis In_, IsAxis H, class T = float>
struct PeepholeLstm {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using Z = Gates<H, Forget, Input, Candidate, Output>;
  using FromInput = Linear<In, Z, T>;
  using FromHidden = Linear<H, Z, T>;
  using Offset = Bias<Z, T>;
  using Peephole = Parameter<T, H>;
  BOOST_HANA_DEFINE_STRUCT(PeepholeLstm, (FromInput, from_input), (FromHidden, from_hidden), (Offset, bias),
                           (Peephole, to_forget), (Peephole, to_input), (Peephole, to_output));

  /// b_f at first. Set it before `initialise`.
  double forget_bias = 1;

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const State<T, B, H>& s) const {
    Var z = from_input(x) + from_hidden(s.h) + bias;                             // W [x_t, h_{t-1}] + b
    Var c = sigmoid(gate<Forget>(z) + to_forget * s.c) * s.c
          + sigmoid(gate<Input>(z) + to_input * s.c) * tanh(gate<Candidate>(z));  // c_t = f_t c_{t-1} + i_t g_t
    Var h = sigmoid(gate<Output>(z) + to_output * c) * tanh(c);                  // h_t = o_t tanh(c_t)
    return State{h, c};
  }

  template <IsAxis B>
  State<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch), filled<T, B, H>(T{0}, batch)};
  }

  void initialise(const Random& random) {
    initialise_orthogonal(from_hidden.weight, 1, random.child("from_hidden"));
    initialise_constant(bias, 0);
    initialise_gate<Forget>(bias, forget_bias);
  }
};

}  // namespace hindsight
