// A cell whose call is not const.
// EXPECT: a_cells_functions_must_be_const<MyCell>
#include "layers/unroll.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Time : Axis<> {};

struct MyCell {
  using In = ::In;
  using Hidden = ::Hidden;
  using Scalar = float;
#ifdef MISTAKE
  template <IsAxis B>
  auto operator()(const Var<float, B, ::In>&, const HiddenState<float, B, ::Hidden>& s) {
    Var h = tanh(s.h);
    return HiddenState{h};
  }
#else
  template <IsAxis B>
  auto operator()(const Var<float, B, ::In>&, const HiddenState<float, B, ::Hidden>& s) const {
    Var h = tanh(s.h);
    return HiddenState{h};
  }
#endif
  template <IsAxis B>
  HiddenState<float, B, ::Hidden> initial(Extent<B> batch = {}) const {
    return {filled<float, B, ::Hidden>(0.0f, batch)};
  }
};

void mistake(const MyCell& cell, Var<float, Time, Batch, In> xs, HiddenState<float, Batch, Hidden> s) { unroll(cell, xs, s); }
