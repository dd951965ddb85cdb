// Cells by their equations: values worked out by hand, gate order, both forms of the GRU, parameter
// counts, first values.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>

#include "autodiff/backward.hpp"
#include "layers/combine.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"

using namespace hindsight;
using Catch::Approx;

namespace {

struct Time : Axis<> {};
struct One : Axis<1> {};
struct Two : Axis<2> {};
struct Unit : Axis<1> {};
struct In : Axis<5> {};
struct Hidden : Axis<7> {};

template <class P>
void set(P& parameter, std::vector<double> values) {
  auto edit = parameter.edit();
  REQUIRE(edit.size() == values.size());
  std::copy(values.begin(), values.end(), edit.begin());
}

// h_t = W x_t + V h_{t-1} + b, without an activation: sums that a hand can follow.
struct Identity {
  auto operator()(const TensorLike auto& x) const { return 1.0 * x; }
};
using LinearNet = Rnn<Unit, Unit, double, Identity>;

LinearNet linear_net(double w, double v, double b) {
  LinearNet net;
  set(net.from_input.weight, {w});
  set(net.from_hidden.weight, {v});
  set(net.bias, {b});
  return net;
}

}  // namespace

static_assert(parameters<Lstm<In, Hidden>> == 4 * 7 * (5 + 7 + 1));
static_assert(4 * parameters<Gru<In, Hidden>> == 3 * parameters<Lstm<In, Hidden>>, "three quarters of an LSTM's");
static_assert(parameters<PeepholeLstm<In, Hidden>> == parameters<Lstm<In, Hidden>> + 3 * 7);
static_assert(parameters<Rnn<In, Hidden>> == 7 * (5 + 7 + 1));
static_assert(parameters<Stack<Rnn<In, Hidden>, Rnn<Hidden, Hidden>>> == 7 * (5 + 7 + 1) + 7 * (7 + 7 + 1));

// A state with its memory left out is a mistake that compiles if it is an aggregate.
static_assert(!std::is_constructible_v<State<double, One, Hidden>, Var<double, One, Hidden>>);

TEST_CASE("an LSTM's gates are told apart by name") {
  // Biases 1, -1, 0.5, 2 for input, forget, candidate, output; c_0 = 0.5.
  Lstm<Unit, Unit, double> cell;
  initialise_gate<Input>(cell.bias, 1);
  initialise_gate<Forget>(cell.bias, -1);
  initialise_gate<Candidate>(cell.bias, 0.5);
  initialise_gate<Output>(cell.bias, 2);
  const auto next = [&] {
    const State s{filled<double, One, Unit>(0.0), filled<double, One, Unit>(0.5)};
    return cell(filled<double, One, Unit>(0.0), s);
  };
  Tape tape;
  CHECK(next().c.at(0, 0) == Approx(0.472305423).epsilon(1e-8));
  CHECK(next().h.at(0, 0) == Approx(0.387603712).epsilon(1e-8));
  initialise_gate<Forget>(cell.bias, 0);  // one more, before the sigmoid
  CHECK(next().c.at(0, 0) == Approx(0.587834712).epsilon(1e-8));
  CHECK(next().h.at(0, 0) == Approx(0.465357266).epsilon(1e-8));
}

TEST_CASE("four blocks read in another order are another cell") {
  // Biases 1, -1, 0.5, 2 as PyTorch, ONNX and old TensorFlow order them, told apart by name; c_0 = 0.5.
  struct Order {
    double input, forget, candidate, output, c, h;
  };
  const Order order = GENERATE(Order{1, -1, 0.5, 2, 0.472305423, 0.387603712},    // i f g o
                               Order{1, 0.5, 2, -1, 1.015990298, 0.206608415},    // i o f g
                               Order{1, 0.5, -1, 2, -0.245540276, -0.212027145});  // i g f o
  Lstm<Unit, Unit, double> cell;
  set(cell.bias, {order.forget, order.input, order.candidate, order.output});  // ours
  Tape tape;
  const State s{filled<double, One, Unit>(0.0), filled<double, One, Unit>(0.5)};
  const auto next = cell(filled<double, One, Unit>(0.0), s);
  CHECK(next.c.at(0, 0) == Approx(order.c).epsilon(1e-8));
  CHECK(next.h.at(0, 0) == Approx(order.h).epsilon(1e-8));
}

TEST_CASE("the two forms of the GRU differ as their equations say") {
  // x = 0, h_0 = (2, -1), z = 0.5, r = (0.5, sigmoid 2), U_n = [[0, 1], [1, 0]], c_n = (1, 0).
  Tape tape;
  const HiddenState s{constant<One, Two>({2.0, -1.0})};
  const auto x = filled<double, One, Unit>(0.0);

  GruResetAfter<Unit, Two, double> after;
  set(after.from_hidden.weight, {0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0});
  set(after.bias, {0, 2, 0, 0, 0, 0});
  set(after.hidden_bias, {1, 0});
  CHECK(after(x, s).h.at(0, 0) == Approx(1.0));
  CHECK(after(x, s).h.at(0, 1) == Approx(-0.028659606).epsilon(1e-7));

  Gru<Unit, Two, double> before;
  set(before.candidate_from_hidden.weight, {0, 1, 1, 0});
  set(before.bias, {0, 2, 0, 0});
  set(before.candidate_bias, {1, 0});
  CHECK(before(x, s).h.at(0, 0) == Approx(1.059320757).epsilon(1e-8));
  CHECK(before(x, s).h.at(0, 1) == Approx(-0.119202922).epsilon(1e-8));
}

TEMPLATE_TEST_CASE("a GRU's batch of three equals three single runs, and a second call the first", "",
                   (Gru<In, Hidden, double>), (GruResetAfter<In, Hidden, double>)) {
  struct Batch : Axis<> {};
  TestType cell;
  initialise(cell, 1);  // biases begin at 0
  const auto run = [&](std::size_t first, std::size_t n) {
    std::vector<double> x(n * 5), h(n * 7);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = Random{2}.normal(first * 5 + i);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = Random{3}.normal(first * 7 + i);
    const HiddenState s{constant<Batch, Hidden>(h, extent<Batch>(n))};
    return cell(constant<Batch, In>(x, extent<Batch>(n)), s).h.values();
  };
  Tape tape;
  const auto together = run(0, 3);
  CHECK(run(0, 3) == together);
  for (std::size_t b = 0; b < 3; ++b) {
    const auto alone = run(b, 1);
    for (std::size_t k = 0; k < 7; ++k) CHECK(std::abs(together[b * 7 + k] - alone[k]) <= 1e-12);
  }
}

TEST_CASE("z = 1 keeps the state") {
  Gru<Unit, Unit, double> cell;  // n = 0.905148254 = tanh 1.5, z = 0.731058579 = sigmoid 1, h = 2
  initialise_gate<Update>(cell.bias, 1);
  set(cell.candidate_bias, {1.5});
  Tape tape;
  const auto next = cell(filled<double, One, Unit>(0.0), HiddenState{filled<double, One, Unit>(2.0)});
  CHECK(next.h.at(0, 0) == Approx(1.705549015).epsilon(1e-8));
}

TEST_CASE("backpropagation through time reaches all the way back") {
  const LinearNet net = linear_net(2, 3, 0.5);
  Tape tape;
  const auto x = variable<Time, One, Unit>({1.0, -1.0}, extent<Time>(2));
  const HiddenState s0{variable<One, Unit>({1.0})};
  const bool keep_all = GENERATE(true, false);
  const auto run = unroll(net, x, s0);
  CHECK(run.outputs.values() == std::vector{5.5, 15.0});
  Var loss = keep_all ? Var(sum(at<Time>(run.outputs, 1))) : Var(sum(run.last.h));
  backward(loss);
  CHECK(net.from_input.weight.gradients()[0] == Approx(2));
  CHECK(net.from_hidden.weight.gradients()[0] == Approx(8.5));
  CHECK(net.bias.gradients()[0] == Approx(4));
  CHECK(s0.h.gradients() == std::vector{9.0});
  CHECK(x.gradients() == std::vector{6.0, 2.0});
}

TEST_CASE("a window as long as the sequence cuts nothing, the first state included") {
  const LinearNet net = linear_net(1, 2, 0);
  for (const std::size_t window : {0, 3, 100, 2}) {
    Tape tape;
    const auto x = constant<Time, One, Unit>({1.0, 1.0, 1.0}, extent<Time>(3));
    const HiddenState s0{variable<One, Unit>({1.0})};
    backward(Var(sum(unroll(net, x, s0, {}, {.window = window}).last.h)));
    CHECK(s0.h.gradients() == std::vector{window == 2 ? 0.0 : 8.0});  // 2^3
  }
}

TEST_CASE("truncation windows cut the gradient and nothing else") {
  const auto [window, gradient] = GENERATE(std::pair{0, 57.0}, std::pair{1, 5.0}, std::pair{2, 9.0}, std::pair{5, 57.0},
                                           std::pair{6, 57.0}, std::pair{100, 57.0});
  const LinearNet net = linear_net(1, 2, 0);
  Tape tape;
  const auto x = constant<Time, One, Unit>(std::vector<double>(5, 1.0), extent<Time>(5));
  const auto run = unroll(net, x, net.initial<One>(), {}, {.window = static_cast<std::size_t>(window)});
  CHECK(run.outputs.values() == std::vector{1.0, 3.0, 7.0, 15.0, 31.0});
  Var loss = sum(run.outputs);
  CHECK(loss.item() == 57);
  backward(loss);
  CHECK(net.from_input.weight.gradients()[0] == Approx(gradient));
}

TEST_CASE("first values: the forget bias, orthogonal recurrent matrices, the seed") {
  Lstm<In, Hidden, double> a, b, c;
  c.forget_bias = 2;
  initialise(a, 1);
  initialise(b, 1);
  initialise(c, 2);
  for (std::size_t i = 0; i < 7; ++i) {
    CHECK(a.bias.values()[i] == 1);  // forget comes first
    CHECK(c.bias.values()[i] == 2);
    CHECK(a.bias.values()[7 + i] == 0);
  }
  CHECK(std::equal(a.from_hidden.weight.values().begin(), a.from_hidden.weight.values().end(),
                   b.from_hidden.weight.values().begin()));
  CHECK(a.from_input.weight.values()[0] != c.from_input.weight.values()[0]);
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t j = 0; j < 7; ++j) {  // of the forget gate's square: V V^T = 1
      double dot = 0;
      for (std::size_t k = 0; k < 7; ++k)
        dot += a.from_hidden.weight.values()[i * 28 + k] * a.from_hidden.weight.values()[j * 28 + k];
      CHECK(dot == Approx(i == j ? 1.0 : 0.0).margin(1e-12));
    }
}

TEST_CASE("an LSTM runs and differentiates over a hundred thousand steps") {
  constexpr std::size_t steps = 100000;
  Lstm<Unit, Unit, float> cell;
  initialise(cell, 1);
  Tape tape;
  const auto xs = filled<float, Time, One, Unit>(0.5f, extent<Time>(steps));
  Var loss = sum(unroll(cell, xs, cell.initial<One>()).outputs);
  backward(loss);
  CHECK(std::isfinite(cell.bias.gradients()[0]));
  CHECK(cell.bias.gradients()[0] != 0);
}
