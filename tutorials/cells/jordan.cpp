// The Jordan network (Jordan 1986): what is fed back is not the hidden layer, as in Elman's, but the output.
//
//     h_t = tanh(W x_t + U y_{t-1} + b)
//     y_t = V h_t + c
#include "tutorials/cell_program.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct Jordan {
  using In = In_;
  using Hidden = H;
  using Scalar = T;

  using FromInput = Affine<In, H, T>;
  using FromOutput = Linear<H, H, T>;
  using ToOutput = Affine<H, H, T>;
  BOOST_HANA_DEFINE_STRUCT(Jordan, (FromInput, from_input), (FromOutput, from_output), (ToOutput, to_output));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var h = tanh(from_input(x) + from_output(s.h));
    Var y = to_output(h);
    return HiddenState{y};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }
};

int main(int argc, char** argv) { return tutorial::check_cells<Jordan>(argc, argv); }
