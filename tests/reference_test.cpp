// The cells beside PyTorch's: values and all gradients, to 1e-6. The numbers are in
// tests/reference/cells.json, made by make_cells.py.
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "autodiff/backward.hpp"
#include "autodiff/reductions.hpp"
#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<4> {};
struct Batch : Axis<3> {};
struct In : Axis<3> {};
struct Hidden : Axis<2> {};
constexpr std::size_t H = Hidden::extent;
using Numbers = std::vector<double>;

nlohmann::json reference(const char* name) {
  std::ifstream file("tests/reference/cells.json");
  REQUIRE(file);
  return nlohmann::json::parse(file).at(name);
}

void same(const char* what, const Numbers& ours, const Numbers& theirs) {
  CAPTURE(what);
  REQUIRE(ours.size() == theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    CAPTURE(i, ours[i], theirs[i]);
    CHECK(std::abs(ours[i] - theirs[i]) <= 1e-6);
  }
}

// PyTorch's (gates H) x In matrix as ours, In x (gates H); our gate g is their gate order[g].
Numbers transposed(const Numbers& theirs, std::size_t in, const std::vector<std::size_t>& order) {
  Numbers ours;
  for (std::size_t k = 0; k < in; ++k)
    for (std::size_t gate : order)
      for (std::size_t h = 0; h < H; ++h) ours.push_back(theirs[(gate * H + h) * in + k]);
  return ours;
}

template <class P>
void set(P& parameter, const Numbers& values) {
  auto edit = parameter.edit();
  REQUIRE(edit.size() == values.size());
  std::copy(values.begin(), values.end(), edit.begin());
}

Numbers gradient(const auto& parameter) { return {parameter.gradients().begin(), parameter.gradients().end()}; }

Numbers sum(Numbers a, const Numbers& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

Numbers list(const nlohmann::json& r, const char* key) { return r.at(key).get<Numbers>(); }

// Runs the cell and the loss of make_cells.py backwards, and compares what has no weights in it.
template <class Cell, class State0, class Final>
void run(const Cell& cell, const nlohmann::json& r, const State0& s0, Final final) {
  const auto x = variable<Time, Batch, In>(list(r, "x"));
  const auto ran = unroll(cell, x, s0);
  Numbers counting(Batch::extent * H);
  for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<double>(i + 1);
  Var loss = hindsight::sum(ran.outputs * constant<Time, Batch, Hidden>(list(r, "weighting"))) +
             hindsight::sum(final(ran.last) * constant<Batch, Hidden>(counting));
  backward(loss);
  same("outputs", ran.outputs.values(), list(r, "outputs"));
  same("last state", final(ran.last).values(), list(r, "final"));
  same("d x", x.gradients(), list(r, "dx"));
  same("d h_0", s0.h.gradients(), list(r, "dh0"));
}

template <class Activation>
void check_rnn(const char* name) {
  const auto r = reference(name);
  Rnn<In, Hidden, double, Activation> cell;
  set(cell.from_input.weight, transposed(list(r, "weight_ih"), In::extent, {0}));
  set(cell.from_hidden.weight, transposed(list(r, "weight_hh"), H, {0}));
  set(cell.bias, sum(list(r, "bias_ih"), list(r, "bias_hh")));
  Tape tape;
  run(cell, r, HiddenState{variable<Batch, Hidden>(list(r, "h0"))}, [](const auto& s) { return s.h; });
  same("d W", gradient(cell.from_input.weight), transposed(list(r, "dweight_ih"), In::extent, {0}));
  same("d V", gradient(cell.from_hidden.weight), transposed(list(r, "dweight_hh"), H, {0}));
  same("d b", gradient(cell.bias), list(r, "dbias_ih"));
}

}  // namespace

TEST_CASE("the recurrent net agrees with PyTorch's, with tanh and with ReLU") {
  check_rnn<Tanh>("rnn_tanh");
  check_rnn<Relu>("rnn_relu");
}

TEST_CASE("the LSTM agrees with PyTorch's") {
  const std::vector<std::size_t> order{1, 0, 2, 3};  // forget, input, candidate, output among i, f, g, o
  const auto r = reference("lstm");
  Lstm<In, Hidden, double> cell;
  set(cell.from_input.weight, transposed(list(r, "weight_ih"), In::extent, order));
  set(cell.from_hidden.weight, transposed(list(r, "weight_hh"), H, order));
  set(cell.bias, transposed(sum(list(r, "bias_ih"), list(r, "bias_hh")), 1, order));
  Tape tape;
  const State s0{variable<Batch, Hidden>(list(r, "h0")), variable<Batch, Hidden>(list(r, "c0"))};
  run(cell, r, s0, [](const auto& s) { return s.c; });
  same("d c_0", s0.c.gradients(), list(r, "dc0"));
  same("d W", gradient(cell.from_input.weight), transposed(list(r, "dweight_ih"), In::extent, order));
  same("d V", gradient(cell.from_hidden.weight), transposed(list(r, "dweight_hh"), H, order));
  same("d b", gradient(cell.bias), transposed(list(r, "dbias_ih"), 1, order));
}

TEST_CASE("the GRU with reset after the product agrees with PyTorch's") {
  const std::vector<std::size_t> order{0, 1, 2};
  const auto r = reference("gru");
  Numbers bias = list(r, "bias_ih");
  const Numbers hidden_bias = list(r, "bias_hh");
  for (std::size_t i = 0; i < 2 * H; ++i) bias[i] += hidden_bias[i];  // those of reset and update add up
  GruResetAfter<In, Hidden, double> cell;
  set(cell.from_input.weight, transposed(list(r, "weight_ih"), In::extent, order));
  set(cell.from_hidden.weight, transposed(list(r, "weight_hh"), H, order));
  set(cell.bias, bias);
  set(cell.hidden_bias, {hidden_bias.begin() + 2 * H, hidden_bias.end()});
  Tape tape;
  run(cell, r, HiddenState{variable<Batch, Hidden>(list(r, "h0"))}, [](const auto& s) { return s.h; });
  same("d W", gradient(cell.from_input.weight), transposed(list(r, "dweight_ih"), In::extent, order));
  same("d V", gradient(cell.from_hidden.weight), transposed(list(r, "dweight_hh"), H, order));
  same("d b", gradient(cell.bias), list(r, "dbias_ih"));
  const Numbers d_hidden = list(r, "dbias_hh");
  same("d c_n", gradient(cell.hidden_bias), {d_hidden.begin() + 2 * H, d_hidden.end()});
}
