// A cell that is checked, whose parameters no walk would find.
// EXPECT: a_cell_must_list_its_members_with_BOOST_HANA_DEFINE_STRUCT<MyCell<
#include "models/check_cell.hpp"

using namespace hindsight;

template <IsAxis In_, IsAxis H, class T = float>
struct MyCell {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, H, T>;
#ifdef MISTAKE
  FromInput from_input;
#else
  BOOST_HANA_DEFINE_STRUCT(MyCell, (FromInput, from_input));
#endif

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>&) const {
    Var h = from_input(x);
    return HiddenState{h};
  }
  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }
};

CellReport mistake() { return check_cell<MyCell>(); }
