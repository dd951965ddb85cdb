// A mistake inside of a cell's equations is told as itself, and the next lines lead to the equation.
// EXPECT: linear_input_axis_not_in_tensor
// EXPECT: Tensor<Batch, Hidden>
// LINES: 35
#include "layers/linear.hpp"
#include "layers/unroll.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

struct Time : Axis<> {};

struct MyCell {
  using In = ::In;
  using Hidden = ::Hidden;
  using Scalar = float;
  Linear<::In, ::Hidden> from_input;
  template <IsAxis B>
  auto operator()([[maybe_unused]] const Var<float, B, ::In>& x, const HiddenState<float, B, ::Hidden>& s) const {
#ifdef MISTAKE
    Var h = tanh(from_input(s.h) + s.h);
#else
    Var h = tanh(from_input(x) + s.h);
#endif
    return HiddenState{h};
  }
  template <IsAxis B>
  HiddenState<float, B, ::Hidden> initial(Extent<B> batch = {}) const {
    return {filled<float, B, ::Hidden>(0.0f, batch)};
  }
};

void mistake(const MyCell& cell, Var<float, Time, Batch, In> xs, HiddenState<float, Batch, Hidden> s) { unroll(cell, xs, s); }
