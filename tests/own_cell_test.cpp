// The cell that docs/cell.md writes, as it stands there: it works with everything that takes a cell.
#include <catch2/catch_test_macros.hpp>

#include "autodiff/gradcheck.hpp"
#include "layers/bidirectional.hpp"
#include "layers/combine.hpp"
#include "layers/linear.hpp"

using namespace hindsight;

namespace {

template <IsAxis In_, IsAxis H, class T = float>
struct MinimalGatedUnit {
  using In = In_;
  using Hidden = H;
  using Scalar = T;
  using FromInput = Affine<In, H, T>;
  using FromHidden = Linear<H, H, T>;
  BOOST_HANA_DEFINE_STRUCT(MinimalGatedUnit, (FromInput, gate_input), (FromHidden, gate_hidden),
                           (FromInput, input), (FromHidden, hidden));

  template <IsAxis B>
  auto operator()(const Var<T, B, In>& x, const HiddenState<T, B, H>& s) const {
    Var f = sigmoid(gate_input(x) + gate_hidden(s.h));
    Var n = tanh(input(x) + hidden(f * s.h));
    Var h = (1 - f) * s.h + f * n;
    return HiddenState{h};
  }

  template <IsAxis B>
  HiddenState<T, B, H> initial(Extent<B> batch = {}) const {
    return {filled<T, B, H>(T{0}, batch)};
  }
};

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct In : Axis<3> {};
struct Hidden : Axis<4> {};

}  // namespace

TEST_CASE("a cell of one's own passes the gradient check, stacked and in both directions") {
  Bidirectional<Stack<MinimalGatedUnit<In, Hidden, double>, MinimalGatedUnit<Hidden, Hidden, double>>> reader;
  initialise(reader, 1);
  const auto report = check_gradients([&](auto x) { return reader(x).outputs; }, reader,
                                      random_input<Time, Batch, In>("x", extent<Time>(4), extent<Batch>(2)));
  INFO(report.text());
  CHECK(report.ok());
}
