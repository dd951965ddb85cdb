// The coupled-gate LSTM: what is written takes the place of what is forgotten, i = 1 - f.
//
// In Greff et al. 2017 it is CIFG, coupled input and forget gate; there with peepholes, which lstm_variants.cpp has.
//
//     f_t = sigmoid(W_f [x_t, h_{t-1}] + b_f)
//     g_t = tanh   (W_g [x_t, h_{t-1}] + b_g)
//     o_t = sigmoid(W_o [x_t, h_{t-1}] + b_o)
//     c_t = f_t c_{t-1} + (1 - f_t) g_t
//     h_t = o_t tanh(c_t)
#include "layers/gates.hpp"
#include "tutorials/cell_program.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct CoupledLstm {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using Z = Gates<H, Forget, Candidate, Output>;
  using FromInput = Affine<In, Z, T>;
  using FromHidden = Linear<H, Z, T>;
  BOOST_HANA_DEFINE_STRUCT(CoupledLstm, (FromInput, from_input), (FromHidden, from_hidden));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const State<T, B, H>& s) const {
    Var z = from_input(x) + from_hidden(s.h);
    Var f = sigmoid(gate<Forget>(z));
    Var c = f * s.c + (1 - f) * tanh(gate<Candidate>(z));
    Var h = sigmoid(gate<Output>(z)) * tanh(c);
    return State{h, c};
  }

  template <IsAxis B>
  State<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch), filled<T, B, H>(T{0}, batch)};
  }
};

int main(int argc, char** argv) { return tutorial::check_cells<CoupledLstm>(argc, argv); }
