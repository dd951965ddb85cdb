// The gated recurrent unit (Cho et al. 2014). The update is convex: what comes in is what goes out.
//
//     r_t = sigmoid(W_r [x_t, h_{t-1}] + b_r)              reset gate: what of the state the candidate sees
//     z_t = sigmoid(W_z [x_t, h_{t-1}] + b_z)              update gate: what of the state stays
//     h_t = z_t h_{t-1} + (1 - z_t) n_t                    z = 1 keeps, as in Cho's paper and in PyTorch
//
// Two forms differ in the candidate n_t, and cannot be turned into each other:
//
//     reset before the product (Cho)       n_t = tanh(W_n x_t + U_n (r_t h_{t-1}) + b_n)
//     reset after it (PyTorch, cuDNN)      n_t = tanh(W_n x_t + b_n + r_t (U_n h_{t-1} + c_n))
#pragma once

#include "autodiff/views.hpp"
#include "layers/gates.hpp"
#include "layers/linear.hpp"
#include "layers/state.hpp"

namespace hindsight {

/// A GRU, reset before the product: Batch x In, HiddenState of Batch x H -> HiddenState of Batch x H.
template <IsAxis In_, IsAxis H, class T = float>
struct Gru {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using Z = Gates<H, Reset, Update>;
  using FromInput = Linear<In, Z, T>;
  using FromHidden = Linear<H, Z, T>;
  using Offset = Bias<Z, T>;
  using CandidateFromInput = Linear<In, H, T>;
  using CandidateFromHidden = Linear<H, H, T>;
  using CandidateOffset = Bias<H, T>;
  BOOST_HANA_DEFINE_STRUCT(Gru, (FromInput, from_input), (FromHidden, from_hidden), (Offset, bias),
                           (CandidateFromInput, candidate_from_input), (CandidateFromHidden, candidate_from_hidden),
                           (CandidateOffset, candidate_bias));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var a = from_input(x) + from_hidden(s.h) + bias;              // W [x_t, h_{t-1}] + b
    Var r = sigmoid(gate<Reset>(a));                              // r_t
    Var z = sigmoid(gate<Update>(a));                             // z_t
    Var n = tanh(candidate_from_input(x) + candidate_from_hidden(r * s.h) + candidate_bias);
    Var h = z * s.h + (1 - z) * n;                                // h_t = z_t h_{t-1} + (1 - z_t) n_t
    return HiddenState{h};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }

  void initialise(const Random& random) {
    initialise_orthogonal(from_hidden.weight, 1, random.child("from_hidden"));
    initialise_orthogonal(candidate_from_hidden.weight, 1, random.child("candidate_from_hidden"));
    initialise_constant(bias, 0);
    initialise_constant(candidate_bias, 0);
  }
};

/// A GRU, reset after the product: the same axes. `hidden_bias` is c_n, which r_t multiplies; it
/// cannot be merged with b_n.
template <IsAxis In_, IsAxis H, class T = float>
struct GruResetAfter {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using Z = Gates<H, Reset, Update, Candidate>;
  using FromInput = Linear<In, Z, T>;
  using FromHidden = Linear<H, Z, T>;
  using Offset = Bias<Z, T>;
  using HiddenOffset = Bias<H, T>;
  BOOST_HANA_DEFINE_STRUCT(GruResetAfter, (FromInput, from_input), (FromHidden, from_hidden), (Offset, bias),
                           (HiddenOffset, hidden_bias));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var a = from_input(x) + bias;                                 // W x_t + b
    Var u = from_hidden(s.h);                                     // U h_{t-1}
    Var z = sigmoid(gate<Update>(a) + gate<Update>(u));           // z_t
    Var n = tanh(gate<Candidate>(a)
               + sigmoid(gate<Reset>(a) + gate<Reset>(u)) * (gate<Candidate>(u) + hidden_bias));
    Var h = z * s.h + (1 - z) * n;                                // h_t = z_t h_{t-1} + (1 - z_t) n_t
    return HiddenState{h};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }

  void initialise(const Random& random) {
    initialise_orthogonal(from_hidden.weight, 1, random.child("from_hidden"));
    initialise_constant(bias, 0);
    initialise_constant(hidden_bias, 0);
  }
};

}  // namespace hindsight
