// The minimal LSTM (Feng et al. 2024): gates and candidate see the input alone.
//
// L. Feng, F. Tung, M. Ahmed, Y. Bengio and H. Hajimirsadeghi, "Were RNNs All We Needed?": besides, the two gates are
// scaled to sum to 1, and there is no output gate, so that the memory is what is shown.
//
//     f_t = sigmoid(W_f x_t + b_f)               forget gate
//     i_t = sigmoid(W_i x_t + b_i)               input gate
//     n_t = W_n x_t + b_n                        candidate
//     h_t = f_t / (f_t + i_t) h_{t-1} + i_t / (f_t + i_t) n_t
//
// So h_t is linear in h_{t-1}, and all steps can be computed at once by a parallel scan; here they run one by one.
#include "layers/gates.hpp"
#include "tutorials/cell_program.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct MinLstm {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, Gates<H, Forget, Input, Candidate>, T>;
  BOOST_HANA_DEFINE_STRUCT(MinLstm, (FromInput, from_input));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var a = from_input(x);
    Var f = sigmoid(gate<Forget>(a));
    Var i = sigmoid(gate<Input>(a));
    Var h = (f * s.h + i * gate<Candidate>(a)) / (f + i);
    return HiddenState{h};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }
};

int main(int argc, char** argv) { return tutorial::check_cells<MinLstm>(argc, argv); }
