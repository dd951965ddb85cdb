// An LSTM with one matrix: all gates are parts of one product W [h_{t-1}, x_t], as the equations are often written.
//
//     [f_t, i_t, g_t, o_t] = W [h_{t-1}, x_t] + b
//     c_t = sigmoid(f_t) c_{t-1} + sigmoid(i_t) tanh(g_t)
//     h_t = sigmoid(o_t) tanh(c_t)
#include "autodiff/join.hpp"
#include "layers/gates.hpp"
#include "tutorials/cell_program.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct Concatenated {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using Weights = Affine<Concat<H, In>, Gates<H, Forget, Input, Candidate, Output>, T>;
  BOOST_HANA_DEFINE_STRUCT(Concatenated, (Weights, weights));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const State<T, B, H>& s) const {
    Var z = weights(concatenate<H, In>(s.h, x));
    Var c = sigmoid(gate<Forget>(z)) * s.c + sigmoid(gate<Input>(z)) * tanh(gate<Candidate>(z));
    Var h = sigmoid(gate<Output>(z)) * tanh(c);
    return State{h, c};
  }

  template <IsAxis B>
  State<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch), filled<T, B, H>(T{0}, batch)};
  }

  void initialise(const Random&) { initialise_gate<Forget>(weights.bias, 1); }  // the memory begins by being kept
};

int main(int argc, char** argv) { return tutorial::check_cells<Concatenated>(argc, argv); }
