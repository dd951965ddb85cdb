// A cell that returns what it shows, and not a state.
// EXPECT: a_cell_must_return_the_kind_of_state_it_takes<MyCell
// EXPECT: HiddenState<float, Batch, Hidden>
// EXPECT: Var<float, Batch, Hidden>
#include "layers/unroll.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Time : Axis<> {};

struct MyCell {
  using In = ::In;
  using Hidden = ::Hidden;
  using Scalar = float;
  template <IsAxis B>
  auto operator()(const Var<float, B, ::In>&, const HiddenState<float, B, ::Hidden>& s) const {
    Var h = tanh(s.h);
#ifdef MISTAKE
    return h;
#else
    return HiddenState{h};
#endif
  }
  template <IsAxis B>
  HiddenState<float, B, ::Hidden> initial(Extent<B> batch = {}) const {
    return {filled<float, B, ::Hidden>(0.0f, batch)};
  }
};

void mistake(const MyCell& cell, Var<float, Time, Batch, In> xs, HiddenState<float, Batch, Hidden> s) { unroll(cell, xs, s); }
