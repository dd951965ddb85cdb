// Sequences of unequal lengths, and both directions.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <cmath>
#include <limits>

#include "autodiff/backward.hpp"
#include "layers/bidirectional.hpp"
#include "layers/combine.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/rnn.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;
using Catch::Approx;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct Unit : Axis<1> {};
struct In : Axis<3> {};
struct Hidden : Axis<5> {};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class P>
void set(P& parameter, std::vector<double> values) {
  auto edit = parameter.edit();
  std::copy(values.begin(), values.end(), edit.begin());
}

struct Identity {
  auto operator()(const TensorLike auto& x) const { return 1.0 * x; }
};
template <IsAxis I, IsAxis H>
using LinearNet = Rnn<I, H, double, Identity>;

/// All variables of a state, one after the other.
template <class S>
std::vector<std::vector<double>> values(const S& state) {
  Carried<S> kept;
  kept.keep(state);
  return kept.values();
}

/// Of what was shown, and of the state the top layer ended in.
auto loss_of(const auto& ran) { return Var(sum(square(ran.outputs)) + sum(square(output(ran.last)))); }

template <class Reader>
void batch_equals_sequences_one_by_one(const std::vector<std::size_t>& lengths) {
  Reader reader;
  initialise(reader, 3);
  const std::size_t n = lengths.size(), longest = 5;
  const auto value = [](std::size_t b, std::size_t t, std::size_t k) { return Random{9}.child(b).normal(t * 3 + k); };

  Tape tape;
  std::vector<double> padded(longest * n * 3, not_a_number);
  for (std::size_t b = 0; b < n; ++b)
    for (std::size_t t = 0; t < lengths[b]; ++t)
      for (std::size_t k = 0; k < 3; ++k) padded[(t * n + b) * 3 + k] = value(b, t, k);
  const auto xs = variable<Time, Batch, In>(padded, extent<Time>(longest), extent<Batch>(n));
  const auto together = reader(xs, mask_of_lengths<Time, Batch, double>(lengths, longest));
  backward(loss_of(together));
  std::vector<std::vector<double>> gradients;
  for_each_parameter(reader, [&](const Path&, auto& p) {
    gradients.emplace_back(p.gradients().begin(), p.gradients().end());
    p.clear_gradients();
  });
  const auto outputs = together.outputs;
  const auto dx = xs.gradients();
  const auto ended = values(together.last);

  for (std::size_t b = 0; b < n; ++b) {
    Tape single;
    std::vector<double> own;
    for (std::size_t t = 0; t < lengths[b]; ++t)
      for (std::size_t k = 0; k < 3; ++k) own.push_back(value(b, t, k));
    const auto x = variable<Time, Batch, In>(own, extent<Time>(lengths[b]), extent<Batch>(1));
    const auto alone = reader(x);
    if (lengths[b] > 0) backward(loss_of(alone));
    const auto last = values(alone.last);
    for (std::size_t v = 0; v < last.size(); ++v)
      for (std::size_t k = 0; k < last[v].size(); ++k)
        CHECK(std::abs(ended[v][b * last[v].size() + k] - last[v][k]) <= 1e-12);
    const auto expected = alone.outputs.values(), expected_dx = x.gradients();
    const std::size_t width = alone.outputs.extents[2];
    for (std::size_t t = 0; t < longest; ++t) {
      for (std::size_t k = 0; k < width; ++k)
        CHECK(outputs.value[(t * n + b) * width + k] == (t < lengths[b] ? expected[t * width + k] : 0.0));
      for (std::size_t k = 0; k < 3; ++k)
        CHECK(dx[(t * n + b) * 3 + k] == Approx(t < lengths[b] ? expected_dx[t * 3 + k] : 0.0).margin(1e-14));
    }
  }
  std::size_t i = 0;
  for_each_parameter(reader, [&](const Path& path, auto& p) {
    CAPTURE(path.text());
    for (std::size_t k = 0; k < p.size(); ++k)
      CHECK(p.gradients()[k] == Approx(gradients[i][k]).epsilon(1e-12).margin(1e-13));
    ++i;
  });
}

}  // namespace

TEST_CASE("padding takes no part, in either direction") {
  // h = x + h/2 + 1 over (1, 2), padded to four.
  Bidirectional<LinearNet<Unit, Unit>> both;
  for (auto* net : {&both.forward, &both.backward}) {
    set(net->from_input.weight, {1});
    set(net->from_hidden.weight, {0.5});
    set(net->bias, {1});
  }
  const double pad = GENERATE(0.0, 7.0, not_a_number);
  Tape tape;
  const auto xs = variable<Time, Batch, Unit>({1.0, 2.0, pad, pad}, extent<Time>(4), extent<Batch>(1));
  const std::vector<std::size_t> lengths{2};
  const auto ran = both(xs, mask_of_lengths<Time, Batch, double>(lengths, 4));
  CHECK(ran.outputs.values() == std::vector{2.0, 3.5, 4.0, 3.0, 0.0, 0.0, 0.0, 0.0});
  CHECK(std::get<0>(ran.last).h.at(0, 0) == 4);
  CHECK(std::get<1>(ran.last).h.at(0, 0) == 3.5);
  backward(Var(sum(ran.outputs)));
  CHECK(xs.gradients()[2] == 0);
  CHECK(xs.gradients()[3] == 0);
}

TEST_CASE("a batch of unequal lengths equals its sequences one by one") {
  const auto lengths = GENERATE(std::vector<std::size_t>{5, 1, 3}, std::vector<std::size_t>{3, 5, 1},
                                std::vector<std::size_t>{0, 5, 1, 0}, std::vector<std::size_t>{2});
  batch_equals_sequences_one_by_one<Unidirectional<Rnn<In, Hidden, double>>>(lengths);
  batch_equals_sequences_one_by_one<Bidirectional<Lstm<In, Hidden, double>>>(lengths);
  batch_equals_sequences_one_by_one<Bidirectional<PeepholeLstm<In, Hidden, double>>>(lengths);
  batch_equals_sequences_one_by_one<Unidirectional<GruResetAfter<In, Hidden, double>>>(lengths);
  using Cells = Stack<Gru<In, Hidden, double>, Lstm<Hidden, Hidden, double>, Residual<Rnn<Hidden, Hidden, double>>>;
  batch_equals_sequences_one_by_one<Unidirectional<Cells>>(lengths);
  using Both = Concat<Hidden, Hidden>;
  using Three = Deep<Bidirectional<Lstm<In, Hidden, double>>, Bidirectional<Gru<Both, Hidden, double>>,
                     Bidirectional<PeepholeLstm<Both, Hidden, double>>>;
  batch_equals_sequences_one_by_one<Three>(lengths);
  using Two = Deep<Bidirectional<Rnn<In, Hidden, double>>, Unidirectional<GruResetAfter<Both, Hidden, double>>>;
  batch_equals_sequences_one_by_one<Two>(lengths);
}

TEST_CASE("a sequence of length 0 keeps its first state") {
  Rnn<In, Hidden, double> net;
  initialise(net, 1);
  Tape tape;
  const auto xs = variable<Time, Batch, In>(std::vector<double>(2 * 2 * 3, 0.5), extent<Time>(2), extent<Batch>(2));
  const HiddenState s0{variable<Batch, Hidden>(std::vector<double>(10, 0.7), extent<Batch>(2))};
  const std::vector<std::size_t> lengths{2, 0};
  const auto run = unroll(net, xs, s0, mask_of_lengths<Time, Batch, double>(lengths, 2));
  CHECK(run.last.h.at(1, 0) == 0.7);
  CHECK(run.outputs.at(1, 1, 0) == 0);
  backward(Var(sum(run.last.h)));
  CHECK(s0.h.gradient_at(1, 0) == 1);
  CHECK(s0.h.gradient_at(0, 0) != 1);
}

TEMPLATE_TEST_CASE("a batch of size 0 and a sequence of no steps are empty, forwards and backwards", "",
                   (Rnn<In, Hidden, double>), (Lstm<In, Hidden, double>), (PeepholeLstm<In, Hidden, double>),
                   (Gru<In, Hidden, double>), (GruResetAfter<In, Hidden, double>)) {
  const auto [time, batch] = GENERATE(std::pair{3, 0}, std::pair{0, 2}, std::pair{0, 0});
  const auto steps = static_cast<std::size_t>(time), n = static_cast<std::size_t>(batch);
  Deep<Bidirectional<TestType>, Unidirectional<Lstm<Concat<Hidden, Hidden>, Hidden, double>>> reader;
  Affine<Hidden, In, double> top;
  auto model = std::tie(reader, top);
  initialise(model, 1);
  Tape tape;
  const auto xs = variable<Time, Batch, In>(std::vector<double>{}, extent<Time>(steps), extent<Batch>(n));
  const auto ran = reader(xs, mask_of_lengths<Time, Batch, double>(std::vector<std::size_t>(n, 0), steps));
  CHECK(ran.outputs.extents == Extents<3>{steps, n, 5});
  for (const auto& last : values(ran.last)) CHECK(last == std::vector<double>(n * 5, 0.0));
  Var loss = sum(square(top(ran.outputs))) + sum(square(output(ran.last)));
  CHECK(loss.item() == 0);
  backward(loss);
  CHECK(xs.gradients().empty());
  for_each_parameter(model, [](const Path& path, const auto& p) {
    CAPTURE(path.text());
    CHECK(std::all_of(p.gradients().begin(), p.gradients().end(), [](double g) { return g == 0; }));
  });
}

TEST_CASE("a sequence of no steps ends in the state it began in") {
  Rnn<In, Hidden, double> net;
  Tape tape;
  const HiddenState s0{variable<Batch, Hidden>(std::vector<double>(10, 0.7), extent<Batch>(2))};
  const auto run = unroll(net, variable<Time, Batch, In>(std::vector<double>{}, extent<Time>(0), extent<Batch>(2)), s0);
  CHECK(run.last.h.values() == s0.h.values());
  backward(Var(sum(run.last.h)));
  CHECK(s0.h.gradients() == std::vector<double>(10, 1.0));
}

TEST_CASE("states of two bidirectional layers come layer by layer, forward first") {
  Deep<Bidirectional<LinearNet<Unit, Unit>>, Bidirectional<LinearNet<Concat<Unit, Unit>, Unit>>> deep;
  auto& [below, above] = deep.layers;
  set(below.forward.from_input.weight, {1});
  set(below.backward.from_input.weight, {10});
  set(above.forward.from_input.weight, {1, 1});
  set(above.backward.from_input.weight, {2, 3});
  Tape tape;
  const auto ran = deep(constant<Time, Batch, Unit>({1.0}, extent<Time>(1), extent<Batch>(1)));
  CHECK(std::get<0>(ran.last).h.at(0, 0) == 1);
  CHECK(std::get<1>(ran.last).h.at(0, 0) == 10);
  CHECK(std::get<2>(ran.last).h.at(0, 0) == 11);
  CHECK(std::get<3>(ran.last).h.at(0, 0) == 32);
}

TEST_CASE("what is read backwards stays where its inputs are") {
  LinearNet<Unit, Unit> sum_up;
  set(sum_up.from_input.weight, {1});
  set(sum_up.from_hidden.weight, {1});
  Tape tape;
  const auto xs = constant<Time, Batch, Unit>({1.0, 2.0, 4.0}, extent<Time>(3), extent<Batch>(1));
  const auto run = unroll(sum_up, xs, sum_up.initial(extent<Batch>(1)), {}, {.direction = Direction::backward});
  CHECK(run.outputs.values() == std::vector{7.0, 6.0, 4.0});
}

TEST_CASE("a mask of another length or of another batch is refused, whatever is in it") {
  const LinearNet<In, Hidden> net;
  Tape tape;
  const auto xs = variable<Time, Batch, In>(std::vector<double>(3 * 2 * 3, 1), extent<Time>(3), extent<Batch>(2));
  const auto s0 = net.initial(extent<Batch>(2));
  const auto said = [&](std::vector<std::size_t> lengths, std::size_t steps) {
    return error_text([&] { unroll(net, xs, s0, mask_of_lengths<Time, Batch, double>(lengths, steps)); });
  };
  CHECK(said({3, 2}, 3).empty());
  CHECK(says(said({5, 5}, 5), {"unroll", "Time", "3", "5"}));
  CHECK(says(said({2, 2}, 2), {"unroll", "Time", "3", "2"}));
  CHECK(says(said({3, 3, 3}, 3), {"unroll", "Batch", "2", "3"}));
  CHECK(says(said({3}, 3), {"unroll", "Batch", "2", "1"}));
}
