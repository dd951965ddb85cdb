// A cell that does not say if it computes in float or double.
// EXPECT: a_cell_needs_a_Scalar<MyCell>
#include "layers/bidirectional.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct MyCell {
  using In = ::In;
  using Hidden = ::Hidden;
#ifdef MISTAKE
#else
  using Scalar = float;
#endif
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
