// The independently recurrent network (Li, Li, Cook, Zhu and Gao 2018): of the past a unit sees only itself.
//
// u h is elementwise, so the gradient over k steps is a product of k numbers and not of matrices.
//
//     h_t = relu(W x_t + u h_{t-1} + b)
#include "tutorials/cell_program.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct IndependentlyRecurrent {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, H, T>;
  using Recurrent = Parameter<T, H>;
  BOOST_HANA_DEFINE_STRUCT(IndependentlyRecurrent, (FromInput, from_input), (Recurrent, u));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var a = from_input(x);
    Var h = relu(a + u * s.h);
    return HiddenState{h};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }

  /// u begins in [0, 1): units of short and of long memory.
  void initialise(const Random& random) {
    auto edit = u.edit();
    fill_uniform<T>(edit.size(), 0, 1, random.child("u"), edit.begin());
  }
};

int main(int argc, char** argv) { return tutorial::check_cells<IndependentlyRecurrent>(argc, argv); }
