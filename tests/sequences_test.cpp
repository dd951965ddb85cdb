// Sequences of unequal lengths, both directions, carried states, dropout and embeddings.
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <limits>

#include "autodiff/backward.hpp"
#include "autodiff/optimizers.hpp"
#include "layers/bidirectional.hpp"
#include "layers/combine.hpp"
#include "layers/embedding.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/rnn.hpp"

using namespace hindsight;
using Catch::Approx;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct Unit : Axis<1> {};
struct In : Axis<3> {};
struct Hidden : Axis<5> {};
struct Vocab : Axis<> {};

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
  backward(Var(sum(square(together.outputs))));
  std::vector<std::vector<double>> gradients;
  for_each_parameter(reader, [&](const Path&, auto& p) {
    gradients.emplace_back(p.gradients().begin(), p.gradients().end());
    p.clear_gradients();
  });
  const auto outputs = together.outputs;
  const auto dx = xs.gradients();

  for (std::size_t b = 0; b < n; ++b) {
    Tape single;
    std::vector<double> own;
    for (std::size_t t = 0; t < lengths[b]; ++t)
      for (std::size_t k = 0; k < 3; ++k) own.push_back(value(b, t, k));
    const auto x = variable<Time, Batch, In>(own, extent<Time>(lengths[b]), extent<Batch>(1));
    const auto alone = reader(x);
    if (lengths[b] > 0) backward(Var(sum(square(alone.outputs))));
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
  batch_equals_sequences_one_by_one<
      Unidirectional<Stack<Gru<In, Hidden, double>, Lstm<Hidden, Hidden, double>, Residual<Rnn<Hidden, Hidden, double>>>>>(lengths);
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

TEST_CASE("a batch of size 0 and a sequence of no steps are empty, not wrong") {
  Lstm<In, Hidden, double> cell;
  initialise(cell, 1);
  Tape tape;
  const auto none = variable<Time, Batch, In>(std::vector<double>{}, extent<Time>(3), extent<Batch>(0));
  CHECK(unroll(cell, none, cell.initial(extent<Batch>(0))).outputs.size() == 0);
  const auto no_steps = variable<Time, Batch, In>(std::vector<double>{}, extent<Time>(0), extent<Batch>(2));
  const auto run = unroll(cell, no_steps, cell.initial(extent<Batch>(2)));
  CHECK(run.outputs.extents == Extents<3>{0, 2, 5});
  CHECK(run.last.c.values() == std::vector<double>(10, 0.0));
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

TEST_CASE("a state is carried from one recording to the next, and not into another batch") {
  Lstm<In, Hidden, double> cell;
  initialise(cell, 1);
  std::vector<double> xs(6 * 2 * 3);
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = Random{2}.normal(i);
  Tape tape;
  const auto batch = extent<Batch>(2);
  const auto whole = unroll(cell, constant<Time, Batch, In>(xs, extent<Time>(6), batch), cell.initial(batch)).last.c.values();

  Carried<State<double, Batch, Hidden>> carried;
  for (std::size_t window = 0; window < 3; ++window) {
    tape.reset();
    auto state = cell.initial(batch);
    if (!carried.empty()) state = carried.on_tape(state);
    const std::vector<double> part(xs.begin() + static_cast<std::ptrdiff_t>(window * 12), xs.begin() + static_cast<std::ptrdiff_t>(window * 12 + 12));
    carried.keep(unroll(cell, constant<Time, Batch, In>(part, extent<Time>(2), batch), state).last);
  }
  tape.reset();
  CHECK(carried.on_tape(cell.initial(batch)).c.values() == whole);
  CHECK_THROWS_AS(carried.on_tape(cell.initial(extent<Batch>(3))), Error);
}

TEST_CASE("dropout depends on seed, path, step, time and element, and on nothing else") {
  struct Model {
    BOOST_HANA_DEFINE_STRUCT(Model, (Dropout, first), (Dropout, second));
  };
  Model model;
  model.first.rate = model.second.rate = 0.5;
  Tape tape;
  const auto x = filled<double, Batch, Hidden>(1.0, extent<Batch>(40));
  CHECK(model.first(x).values() == x.values());  // not training: nothing is dropped
  tape.occasion = {.seed = 1, .step = 3, .time = 2, .training = true};
  CHECK_THROWS_AS(model.first(x), Error);  // no path yet
  initialise(model, 77);
  const auto dropped = model.first(x).values();
  std::size_t zeros = 0;
  for (double v : dropped) {
    CHECK((v == 0 || v == 2));
    zeros += v == 0;
  }
  CHECK(zeros > 60);
  CHECK(zeros < 140);
  const auto other = model.second(x).values();
  CHECK(other != dropped);
  CHECK(model.first(x).values() == dropped);  // whatever was called between
  tape.occasion.time = 3;
  CHECK(model.first(x).values() != dropped);
  tape.occasion = {.seed = 1, .step = 4, .time = 2, .training = true};
  CHECK(model.first(x).values() != dropped);
}

TEST_CASE("an embedding's padding row begins at 0, gets no gradient and never changes") {
  Embedding<Vocab, In, double> embedding{Parameter<double, Vocab, In>(extent<Vocab>(4))};
  embedding.padding = 2;
  initialise(embedding, 1);
  const std::vector<std::int32_t> ids{2, 0, 2, 3, 0};
  Adam adam({.rate = 0.1, .weight_decay = 0.01});
  for (int step = 0; step < 100; ++step) {
    Tape tape;
    backward(Var(sum(square(embedding.lookup<Batch>(ids, extent<Batch>(5)) - 1.0))));
    for (std::size_t k = 0; k < 3; ++k) REQUIRE(embedding.table.gradients()[2 * 3 + k] == 0);
    adam.step(embedding);
    clear_gradients(embedding);
  }
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(embedding.table.values()[2 * 3 + k] == 0);
    CHECK(embedding.table.values()[0 * 3 + k] > 0.9);
  }
  Tape tape;
  const std::vector<std::int32_t> outside{0, 4};
  CHECK_THROWS_AS((embedding.lookup<Batch>(outside, extent<Batch>(2))), Error);
}
