// The state carried from one recording to the next: windows that follow on from each other give what
// one run gives, for every cell, and a state goes into its own cell and batch only.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include "autodiff/backward.hpp"
#include "layers/combine.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/rnn.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct In : Axis<3> {};
struct Hidden : Axis<3> {};

constexpr std::size_t steps = 6, batch = 2, window = 2;

template <class Cell>
using StateOf = decltype(std::declval<const Cell&>().template initial<Batch>());

std::vector<double> inputs() {
  std::vector<double> xs(steps * batch * 3);
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = Random{2}.normal(i);
  return xs;
}

auto on_tape(std::span<const double> values, std::size_t time) {
  return constant<Time, Batch, In>(std::vector<double>(values.begin(), values.end()), extent<Time>(time),
                                   extent<Batch>(batch));
}

/// All variables of a state, one after the other.
template <class S>
std::vector<std::vector<double>> values(const S& state) {
  Carried<S> kept;
  kept.keep(state);
  return kept.values();
}

/// The outputs of the windows one after the other, and the state after each.
template <class Cell>
auto in_windows(const Cell& cell, Carried<StateOf<Cell>>& carried) {
  const auto xs = inputs();
  std::vector<double> outputs;
  std::vector<std::vector<std::vector<double>>> states;
  Tape tape;
  for (std::size_t t = 0; t < steps; t += window) {
    tape.reset();
    auto state = cell.initial(extent<Batch>(batch));
    if (!carried.empty()) state = carried.on_tape(state);
    const auto run = unroll(cell, on_tape(std::span(xs).subspan(t * batch * 3, window * batch * 3), window), state);
    const auto shown = run.outputs.values();
    outputs.insert(outputs.end(), shown.begin(), shown.end());
    carried.keep(run.last);
    states.push_back(carried.values());
  }
  return std::pair(outputs, states);
}

using TwoLayers = Stack<Lstm<In, Hidden, double>, Gru<Hidden, Hidden, double>>;
using Adding = Residual<Lstm<In, In, double>>;
using AddingOnTop = Stack<Rnn<In, In, double>, Residual<Gru<In, In, double>>, Residual<Residual<Lstm<In, In, double>>>>;

}  // namespace

TEMPLATE_TEST_CASE("carried windows equal one run over all steps", "", (Rnn<In, Hidden, double>),
                   (Lstm<In, Hidden, double>), (PeepholeLstm<In, Hidden, double>), (Gru<In, Hidden, double>),
                   (GruResetAfter<In, Hidden, double>), TwoLayers, Adding, AddingOnTop) {
  TestType cell;
  initialise(cell, 1);
  Carried<StateOf<TestType>> carried;
  const auto [outputs, states] = in_windows(cell, carried);

  Tape tape;
  const auto whole = unroll(cell, on_tape(inputs(), steps), cell.initial(extent<Batch>(batch)));
  CHECK(outputs == whole.outputs.values());
  for (std::size_t w = 0; w < states.size(); ++w) CHECK(states[w] == values(whole.states[(w + 1) * window - 1]));
  CHECK(values(carried.on_tape(cell.initial(extent<Batch>(batch)))) == states.back());

  carried.clear();  // after a reset the second run is the first one, bit for bit
  CHECK(in_windows(cell, carried) == std::pair(outputs, states));
}

TEST_CASE("the state a carried one is modelled on keeps its values") {
  Lstm<In, Hidden, double> cell;
  Tape tape;
  const auto one = extent<Batch>(1);
  const State s{constant<Batch, Hidden>({1.0, 2.0, 3.0}, one), filled<double, Batch, Hidden>(4.0, one)};
  Carried<StateOf<decltype(cell)>> carried;
  carried.keep(s);
  const auto first = cell.initial(one);
  CHECK(values(carried.on_tape(first)) == values(s));
  CHECK(values(first) == std::vector(2, std::vector(3, 0.0)));
}

TEST_CASE("a state goes into its own batch and its own cell") {
  using S = State<double, Batch, Hidden>;
  Lstm<In, Hidden, double> cell;
  Tape tape;
  Carried<S> carried;
  carried.keep(cell.initial(extent<Batch>(4)));
  CHECK(says(error_text([&] { carried.on_tape(cell.initial(extent<Batch>(3))); }), {"12 values", "needs 9"}));

  const auto x = filled<double, Batch, In>(0.0, extent<Batch>(3));
  CHECK(says(error_text([&] { cell(x, cell.initial(extent<Batch>(4))); }), {"Batch", "3", "4"}));

  CHECK(Carried<S>::parts() == 2);
  CHECK(Carried<StateOf<AddingOnTop>>::parts() == 1 + 2 + 4);
  Carried<S> parts;
  const auto first = cell.initial(extent<Batch>(1));
  CHECK(says(error_text([&] { parts.on_tape(first); }), {"0 variables", "has 2"}));
  parts.append({1, 2, 3});
  CHECK(says(error_text([&] { parts.on_tape(first); }), {"1 variables", "has 2"}));
  parts.append({4, 5, 6});
  CHECK(parts.on_tape(first).c.values() == std::vector{4.0, 5.0, 6.0});
  parts.append({7, 8, 9});
  CHECK(says(error_text([&] { parts.on_tape(first); }), {"3 variables", "has 2"}));
  parts.keep(first);
  CHECK(parts.values().size() == 2);
}
