// A cell without a first state.
// EXPECT: a_cell_needs_an_initial_state<MyCell>
#include "layers/bidirectional.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct MyCell {
  using In = ::In;
  using Hidden = ::Hidden;
  using Scalar = float;
  template <IsAxis B>
  auto operator()(const Var<float, B, ::In>&, const HiddenState<float, B, ::Hidden>& s) const {
    Var h = tanh(s.h);
    return HiddenState{h};
  }
#ifdef MISTAKE
#else
  template <IsAxis B>
  HiddenState<float, B, ::Hidden> initial(Extent<B> batch = {}) const {
    return {filled<float, B, ::Hidden>(0.0f, batch)};
  }
#endif
};

Bidirectional<MyCell> mistake() { return {}; }
