// A cell that is checked without a first state.
// EXPECT: a_cell_needs_an_initial_state<MyCell<
#include "models/check_cell.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct MyCell {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, H, T>;
  BOOST_HANA_DEFINE_STRUCT(MyCell, (FromInput, from_input));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>&) const {
    Var h = from_input(x);
    return HiddenState{h};
  }
#ifndef MISTAKE
  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }
#endif
};

CellReport mistake() { return check_cell<MyCell>(); }
