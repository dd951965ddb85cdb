// A cell that does not say what axis it reads.
// EXPECT: a_cell_needs_the_axis_In<MyCell>
#include "layers/bidirectional.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct MyCell {
#ifdef MISTAKE
#else
  using In = ::In;
#endif
  using Hidden = ::Hidden;
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

Bidirectional<MyCell> mistake() { return {}; }
