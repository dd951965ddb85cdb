// 25. Write a cell from its paper's equations: an LSTM with coupled gates (Greff et al. 2017)
//
//     f_t = sigmoid(W_f [x_t, h_{t-1}] + b_f)
//     g_t = tanh   (W_g [x_t, h_{t-1}] + b_g)
//     o_t = sigmoid(W_o [x_t, h_{t-1}] + b_o)
//     c_t = f_t c_{t-1} + (1 - f_t) g_t              what is forgotten is written: there is no input gate
//     h_t = o_t tanh(c_t)
//
// Z is an axis of three gates; gate<Forget>(z) is one of them. The library derives the gradient.
#include "layers/gates.hpp"
#include "layers/linear.hpp"
#include "layers/state.hpp"

using namespace hindsight;

template <IsAxis In, IsAxis H>
struct CoupledLstm {
  using Z = Gates<H, Forget, Candidate, Output>;
  using FromInput = Linear<In, Z, double>;
  using FromHidden = Linear<H, Z, double>;
  using Offset = Bias<Z, double>;
  BOOST_HANA_DEFINE_STRUCT(CoupledLstm, (FromInput, from_input), (FromHidden, from_hidden), (Offset, bias));

  template <IsAxis B>
  auto operator()(const Var<double, B, In>& x, const State<double, B, H>& s) const {
    return s;  // HERE
  }
};
