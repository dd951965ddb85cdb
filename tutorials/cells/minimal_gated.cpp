// The minimal gated unit (Zhou, Wu, Zhang and Zhou 2016): a GRU whose one gate both forgets and updates.
//
//     f_t = sigmoid(W_f [x_t, h_{t-1}] + b_f)           forget gate: what of the state is replaced
//     n_t = tanh(W_n [x_t, f_t h_{t-1}] + b_n)          candidate
//     h_t = (1 - f_t) h_{t-1} + f_t n_t
#include "tutorials/cell_program.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct MinimalGated {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, H, T>;
  using FromHidden = Linear<H, H, T>;
  BOOST_HANA_DEFINE_STRUCT(MinimalGated, (FromInput, forget_input), (FromHidden, forget_hidden),
                           (FromInput, candidate_input), (FromHidden, candidate_hidden));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var f = sigmoid(forget_input(x) + forget_hidden(s.h));
    Var n = tanh(candidate_input(x) + candidate_hidden(f * s.h));
    Var h = (1 - f) * s.h + f * n;
    return HiddenState{h};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }
};

int main(int argc, char** argv) { return tutorial::check_cells<MinimalGated>(argc, argv); }
