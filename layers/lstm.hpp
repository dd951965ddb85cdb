// Long short-term memory (Hochreiter and Schmidhuber 1997; the forget gate: Gers, Schmidhuber and
// Cummins 2000).
//
//     f_t = sigmoid(W_f [x_t, h_{t-1}] + b_f)          forget gate: what of the memory stays
//     i_t = sigmoid(W_i [x_t, h_{t-1}] + b_i)          input gate: what of the candidate is written
//     g_t = tanh   (W_g [x_t, h_{t-1}] + b_g)          candidate
//     o_t = sigmoid(W_o [x_t, h_{t-1}] + b_o)          output gate: what of the memory is shown
//     c_t = f_t c_{t-1} + i_t g_t                      so along the memory d c_t / d c_{t-1} = f_t
//     h_t = o_t tanh(c_t)
//
// The gates lie in memory in the order forget, input, candidate, output; one bias.
#pragma once

#include "autodiff/views.hpp"
#include "layers/gates.hpp"
#include "layers/linear.hpp"
#include "layers/state.hpp"

namespace hindsight {

/// An LSTM cell: Batch x In, State of Batch x H -> State of Batch x H.
template <IsAxis In_, IsAxis H, class T = float>
struct Lstm {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using Z = Gates<H, Forget, Input, Candidate, Output>;
  using FromInput = Linear<In, Z, T>;
  using FromHidden = Linear<H, Z, T>;
  using Offset = Bias<Z, T>;
  BOOST_HANA_DEFINE_STRUCT(Lstm, (FromInput, from_input), (FromHidden, from_hidden), (Offset, bias));

  /// b_f at first, so that the memory begins by being kept (Jozefowicz, Zaremba and Sutskever 2015).
  /// Set it before `initialise`.
  double forget_bias = 1;

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const State<T, B, H>& s) const {
    Var z = from_input(x) + from_hidden(s.h) + bias;                  // W [x_t, h_{t-1}] + b
    Var c = sigmoid(gate<Forget>(z)) * s.c
          + sigmoid(gate<Input>(z)) * tanh(gate<Candidate>(z));       // c_t = f_t c_{t-1} + i_t g_t
    Var h = sigmoid(gate<Output>(z)) * tanh(c);                       // h_t = o_t tanh(c_t)
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
