// The recurrent net (Elman 1990): one state that sums up the past.
//
//     h_t = tanh(W [x_t, h_{t-1}] + b)
//
// Its gradient over k steps is a product of k Jacobians diag(1 - h_t^2) V^T, which vanishes or explodes.
#pragma once

#include "autodiff/views.hpp"
#include "layers/linear.hpp"
#include "layers/state.hpp"

namespace hindsight {

/// What an activation is: a function of an expression.
struct Tanh {
  auto operator()(const TensorLike auto& x) const { return tanh(x); }
};
struct Relu {
  auto operator()(const TensorLike auto& x) const { return relu(x); }
};

/// An Elman cell: Batch x In, HiddenState of Batch x H -> HiddenState of Batch x H. The recurrent
/// matrix begins orthogonal, so that at first a gradient neither shrinks nor grows by it.
template <IsAxis In_, IsAxis H, class T = float, class Activation = Tanh>
struct Rnn {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Linear<In, H, T>;
  using FromHidden = Linear<H, H, T>;
  using Offset = Bias<H, T>;
  BOOST_HANA_DEFINE_STRUCT(Rnn, (FromInput, from_input), (FromHidden, from_hidden), (Offset, bias));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var h = Activation()(from_input(x) + from_hidden(s.h) + bias);  // h_t = tanh(W [x_t, h_{t-1}] + b)
    return HiddenState{h};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }

  void initialise(const Random& random) {
    initialise_orthogonal(from_hidden.weight, 1, random.child("from_hidden"));
    initialise_constant(bias, 0);
  }
};

}  // namespace hindsight
