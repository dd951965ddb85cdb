// The recurrent highway network (Zilly, Srivastava, Koutnik and Schmidhuber 2017), of recurrence depth 2.
//
// Within a step the state passes two layers, each of which replaces a part of it and carries the rest. The input enters
// the first.
//
//     s_0 = h_{t-1}
//     n_l = tanh   (W_n x_t [l = 1] + R_nl s_{l-1} + b_nl)
//     t_l = sigmoid(W_t x_t [l = 1] + R_tl s_{l-1} + b_tl)      transform gate
//     s_l = t_l n_l + (1 - t_l) s_{l-1},  l = 1, 2
//     h_t = s_2
#include "layers/gates.hpp"
#include "tutorials/cell_program.hpp"

using namespace hindsight;

struct Transform;  // the gate's name

template <IsAxis In_, IsAxis H, class T = float>
struct Highway {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using Z = Gates<H, Candidate, Transform>;
  using FromInput = Linear<In, Z, T>;
  using Layer = Affine<H, Z, T>;
  BOOST_HANA_DEFINE_STRUCT(Highway, (FromInput, from_input), (Layer, first), (Layer, second));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var s1 = passed(Var(from_input(x) + first(s.h)), s.h);
    Var s2 = passed(Var(second(s1)), s1);
    return HiddenState{s2};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }

  /// At first most is carried.
  void initialise(const Random&) {
    initialise_gate<Transform>(first.bias, -2);
    initialise_gate<Transform>(second.bias, -2);
  }

 private:
  template <IsAxis B>
  static auto passed(const Var<T, B, Z>& z, const Var<T, B, H>& s) {
    Var t = sigmoid(gate<Transform>(z));
    return t * tanh(gate<Candidate>(z)) + (1 - t) * s;
  }
};

int main(int argc, char** argv) { return tutorial::check_cells<Highway>(argc, argv); }
