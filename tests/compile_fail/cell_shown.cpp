// A cell that shows another axis than its Hidden.
// EXPECT: a_cell_must_show_its_axis_Hidden<Half
// EXPECT: Hidden
#include "layers/unroll.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Time : Axis<> {};

struct MyCell {
  using In = ::In;
#ifdef MISTAKE
  using Hidden = ::Half;
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

void mistake(const MyCell& cell, Var<float, Time, Batch, In> xs, HiddenState<float, Batch, Hidden> s) { unroll(cell, xs, s); }
