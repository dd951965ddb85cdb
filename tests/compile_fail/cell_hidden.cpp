// A cell that does not say what axis it shows.
// EXPECT: a_cell_needs_the_axis_Hidden<MyCell>
#include "layers/combine.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct MyCell {
  using In = ::In;
#ifdef MISTAKE
#else
  using Hidden = ::Hidden;
#endif
  using Scalar = float;
  template <IsAxis B>
  auto operator()(const Var<float, B, ::In>&, const HiddenState<float, B, ::Hidden>& s) const {
    Var h = tanh(s.h);
    return HiddenState{h};
  }
  template <IsAxis B>
  HiddenState<float, B, ::Hidden> initial(Extent<B> batch = {}) const {
    return {filled<float, B, ::Hidden>(0.0f, batch)};
  }
};

Stack<MyCell> mistake() { return {}; }
