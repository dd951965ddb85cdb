// The minimal GRU (Feng et al. 2024): gate and candidate see the input alone.
//
// L. Feng, F. Tung, M. Ahmed, Y. Bengio and H. Hajimirsadeghi, "Were RNNs All We Needed?":
//
//     z_t = sigmoid(W_z x_t + b_z)               update gate: what of the state is replaced
//     n_t = W_n x_t + b_n                        candidate
//     h_t = (1 - z_t) h_{t-1} + z_t n_t
//
// So h_t is linear in h_{t-1}, and all steps can be computed at once by a parallel scan; here they run one by one.
#include "layers/gates.hpp"
#include "tutorials/cell_program.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct MinGru {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, Gates<H, Update, Candidate>, T>;
  BOOST_HANA_DEFINE_STRUCT(MinGru, (FromInput, from_input));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var a = from_input(x);
    Var z = sigmoid(gate<Update>(a));
    Var h = (1 - z) * s.h + z * gate<Candidate>(a);
    return HiddenState{h};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }
};

int main(int argc, char** argv) { return tutorial::check_cells<MinGru>(argc, argv); }
