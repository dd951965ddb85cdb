// unroll in checkpointed segments gives the values of unroll bit for bit, and its gradients.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>

#include "autodiff/backward.hpp"
#include "autodiff/gradcheck.hpp"
#include "layers/bidirectional.hpp"
#include "layers/combine.hpp"
#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/rnn.hpp"
#include "tests/error_text.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;

namespace {

struct Time : Axis<> {};
struct Seven : Axis<7> {};
struct Batch : Axis<> {};
struct In : Axis<3> {};
struct Hidden : Axis<3> {};

constexpr std::size_t batch = 3;

template <class M>
void fill(M& module) {
  initialise(module, 1);
  std::uint64_t n = 0;
  for_each_parameter(module, [&](const Path&, auto& p) { initialise_uniform(p, 0.9, Random{5}.child(n++)); });
}

/// All that a step gives: what must be the same bits, and gradients.
template <class T>
struct Outcome {
  std::vector<T> values, gradients;

  void take(const std::vector<T>& from, std::vector<T>& to) { to.insert(to.end(), from.begin(), from.end()); }
};

template <IsAxis Steps, class Cell, class T = typename Cell::Scalar>
Outcome<T> outcome(Cell& cell, std::size_t steps, const UnrollOptions& options, std::span<const std::size_t> lengths) {
  Tape tape;
  tape.occasion = {.seed = 3, .step = 4, .training = true};
  clear_gradients(cell);
  Outcome<T> all;
  const auto xs = [&] {
    const auto values = numbers<T>(steps * batch * 3, "x");
    if constexpr (is_dynamic<Steps>)
      return variable<Steps, Batch, In>(values, extent<Steps>(steps), extent<Batch>(batch));
    else
      return variable<Steps, Batch, In>(values, extent<Batch>(batch));
  }();
  const auto s0 = zip(
      [n = 0](const auto& v) mutable {
        auto first = v;
        std::copy_n(numbers<T>(v.size(), "s" + std::to_string(n++)).begin(), v.size(), first.value);
        detail::give_gradient(first);
        return first;
      },
      cell.initial(extent<Batch>(batch)));
  const auto run = lengths.empty()
                       ? unroll(cell, xs, s0, NoMask{}, options)
                       : unroll(cell, xs, s0, mask_of_lengths<Steps, Batch, T>(lengths, steps), options);
  const auto weights = constant<Batch, Hidden>(numbers<T>(batch * 3, "w"), extent<Batch>(batch));
  Var<T> loss = mean(square(run.outputs * weights));
  zip([&](const auto& v) { return loss = loss + sum(v * v * v), v; }, run.last);
  backward(loss);
  all.take({loss.item()}, all.values);
  all.take(run.outputs.values(), all.values);
  zip([&](const auto& v) { return all.take(v.values(), all.values), v; }, run.last);
  all.take(xs.gradients(), all.gradients);
  zip([&](const auto& v) { return all.take(v.gradients(), all.gradients), v; }, s0);
  for_each_parameter(cell, [&](const Path&, auto& p) {
    all.take(std::vector<T>(p.gradients().begin(), p.gradients().end()), all.gradients);
  });
  return all;
}

template <class T>
void check_same(const Outcome<T>& a, const Outcome<T>& b) {
  CHECK(same_bits(a.values, b.values));
  REQUIRE(a.gradients.size() == b.gradients.size());
  T largest = 0;
  for (const T g : b.gradients) largest = std::max(largest, std::abs(g));
  CHECK(std::isfinite(largest));
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    CAPTURE(i, a.gradients[i], b.gradients[i]);
    CHECK(std::abs(a.gradients[i] - b.gradients[i]) <= 8 * std::numeric_limits<T>::epsilon() * largest);
  }
}

template <class T>
using Tall = Stack<Lstm<In, Hidden, T>, Gru<Hidden, Hidden, T>, Residual<Rnn<Hidden, Hidden, T>>>;

const std::vector<std::size_t> none, unequal{7, 0, 4};

}  // namespace

TEMPLATE_TEST_CASE("segments of every length give what one recording gives", "", (Rnn<In, Hidden, double>),
                   (Rnn<In, Hidden, float>), (Lstm<In, Hidden, double>), (Lstm<In, Hidden, float>),
                   (PeepholeLstm<In, Hidden, double>), (Gru<In, Hidden, double>), (Gru<In, Hidden, float>),
                   (GruResetAfter<In, Hidden, double>), Tall<double>, Tall<float>) {
  TestType cell;
  if constexpr (requires { cell.between; })
    for (Dropout& dropout : cell.between) dropout.rate = 0.5;
  fill(cell);
  for (const std::size_t window : {0, 2, 3})
    for (const Direction direction : {Direction::forward, Direction::backward})
      for (const auto& lengths : {none, unequal}) {
        UnrollOptions options{.direction = direction, .window = window};
        const auto plain = outcome<Time>(cell, 7, options, lengths);
        for (const std::size_t segment : {1, 2, 3, 6, 7, 8, -1}) {
          CAPTURE(window, direction == Direction::forward, lengths.size(), segment);
          options.checkpoint = segment;
          check_same(outcome<Time>(cell, 7, options, lengths), plain);
        }
        options.checkpoint = segment_for(7);
        check_same(outcome<Seven>(cell, 7, options, lengths), plain);
      }
}

TEST_CASE("dropout in the test above drops something, and not the same at each step") {
  Tall<double> cell;
  for (Dropout& dropout : cell.between) dropout.rate = 0.5;
  fill(cell);
  const auto dropped = outcome<Time>(cell, 7, {.checkpoint = 2}, none);
  for (Dropout& dropout : cell.between) dropout.rate = 0;
  CHECK(dropped.values != outcome<Time>(cell, 7, {.checkpoint = 2}, none).values);
  // Segments that are unrolled one by one are dropped as the whole is where each says when it begins.
  Dropout dropout;
  dropout.rate = 0.5;
  dropout.initialise(Random{1}.child("layer"));
  Tape tape;
  tape.occasion = {.seed = 1, .training = true};
  const auto drops = [&](const auto& x, const auto&) { return HiddenState{dropout(x)}; };
  const auto xs = filled<double, Time, Batch, In>(1.0, extent<Time>(6), extent<Batch>(batch));
  const HiddenState s0{filled<double, Batch, In>(0.0, extent<Batch>(batch))};
  const auto whole = unroll(drops, xs, s0).outputs.values();
  tape.occasion.time = 2;
  const auto part = unroll(drops, slice<Time>(xs, 2, 4), s0).outputs.values();
  CHECK(part == std::vector<double>(whole.begin() + 2 * 9, whole.begin() + 4 * 9));
  CHECK(tape.occasion.time == 2);
}

TEST_CASE("a sequence of no steps has the state it began with") {
  Lstm<In, Hidden, double> cell;
  fill(cell);
  for (const std::size_t segment : {0, 1, 5}) {
    const auto nothing = outcome<Time>(cell, 0, {.checkpoint = segment}, none);
    CHECK(nothing.values.size() == 1 + 0 + 2 * 9);
    check_same(nothing, outcome<Time>(cell, 0, {}, none));
  }
}

TEST_CASE("sequences in segments pass the gradient check, masked and in both directions") {
  const auto check_reader = [](auto reader, const char* name) {
    CAPTURE(name);
    fill(reader);
    const std::vector<std::size_t> lengths{5, 0, 2};
    const auto report = check_gradients(
        [&](auto x) { return reader(x, mask_of_lengths<Time, Batch, double>(lengths, 5), {.checkpoint = 2}).outputs; },
        reader, random_input<Time, Batch, In>("x", extent<Time>(5), extent<Batch>(3)));
    INFO(report.text());
    CHECK(report.ok());
  };
  check_reader(Unidirectional<Lstm<In, Hidden, double>>(), "LSTM");
  check_reader(Unidirectional<Stack<Gru<In, Hidden, double>, Rnn<Hidden, Hidden, double>>>(), "GRU and RNN");
  check_reader(Bidirectional<PeepholeLstm<In, Hidden, double>>(), "bidirectional peephole LSTM");
  check_reader(Deep<Bidirectional<Rnn<In, Hidden, double>>,
                    Bidirectional<Lstm<Concat<Hidden, Hidden>, Hidden, double>>>(),
               "two bidirectional layers");
}

TEST_CASE("readers in segments give what they give in one recording") {
  using Reader =
      Deep<Bidirectional<Lstm<In, Hidden, double>>, Unidirectional<Gru<Concat<Hidden, Hidden>, Hidden, double>>>;
  Reader reader;
  fill(reader);
  const auto run = [&](const UnrollOptions& options) {
    Tape tape;
    const auto values = numbers<double>(7 * batch * 3, "x");
    const auto xs = variable<Time, Batch, In>(values, extent<Time>(7), extent<Batch>(batch));
    const auto ran = reader(xs, mask_of_lengths<Time, Batch, double>(unequal, 7), options);
    backward(Var(sum(ran.outputs) + sum(summary<Reader>(ran))));
    return std::pair(ran.outputs.values(), xs.gradients());
  };
  const auto whole = run({});
  for (const std::size_t segment : {1, 2, 3, 7}) {
    const auto segments = run({.direction = Direction::backward, .checkpoint = segment});  // it has its own directions
    CHECK(same_bits(segments.first, whole.first));
    for (std::size_t i = 0; i < whole.second.size(); ++i)
      CHECK(std::abs(segments.second[i] - whole.second[i]) < 1e-13);
  }
}

TEST_CASE("of the states those between segments are kept, and the others stand for nothing") {
  Lstm<In, Hidden, double> cell;
  fill(cell);
  Tape tape;
  const auto xs = filled<double, Time, Batch, In>(0.5, extent<Time>(7), extent<Batch>(batch));
  for (const Direction direction : {Direction::forward, Direction::backward}) {
    const auto s0 = cell.initial(extent<Batch>(batch));
    const auto plain = unroll(cell, xs, s0, NoMask{}, {.direction = direction});
    const auto run = unroll(cell, xs, s0, NoMask{}, {.direction = direction, .checkpoint = 3});
    REQUIRE(run.states.size() == 7);
    for (std::size_t t = 0; t < 7; ++t) {
      const std::size_t taken = direction == Direction::forward ? t + 1 : 7 - t;
      CAPTURE(t);
      if (taken == 7 || taken % 3 == 0)
        CHECK(run.states[t].c.values() == plain.states[t].c.values());
      else
        CHECK(says(error_text<TapeError>([&] { (void)run.states[t].c.values(); }), {"never given a value"}));
    }
  }
}

TEST_CASE("a cell that reads the tape besides its input and its state is refused in segments") {
  Tape tape;
  const auto xs = filled<double, Time, Batch, In>(0.5, extent<Time>(4), extent<Batch>(batch));
  const auto memory = variable<Batch, In>(numbers<double>(batch * 3, "m"), extent<Batch>(batch));
  const HiddenState s0{memory};
  const auto reads = [&](const auto& x, const auto& s) { return HiddenState{Var(x + s.h * memory)}; };
  CHECK(unroll(reads, xs, s0).outputs.extents[0] == 4);
  CHECK(says(error_text<TapeError>([&] { unroll(reads, xs, s0, NoMask{}, {.checkpoint = 2}); }),
             {"checkpoint", "not one of its arguments"}));
}

TEST_CASE("a training step in segments of sqrt(T) steps takes memory that grows as sqrt(T)") {
  // The outputs lie outside: the loss of each segment is made in it.
  Lstm<In, Hidden, double> cell;
  fill(cell);
  const auto peak = [&](std::size_t steps, std::size_t each) {
    Tape tape;
    const auto segment = [&](const State<double, Batch, Hidden>& s, std::size_t begin, std::size_t end) {
      const auto xs = filled<double, Time, Batch, In>(0.1 * static_cast<double>(begin % 7), extent<Time>(end - begin),
                                                      extent<Batch>(batch));
      const auto run = unroll(cell, xs, s);
      return std::tuple(run.last, Var(sum(square(run.outputs))));
    };
    auto state = cell.initial(extent<Batch>(batch));
    Var<double> loss = filled<double>(0.0);
    for (std::size_t t = 0; t < steps; t += each) {
      const auto [last, part] = checkpoint(segment, state, t, std::min(steps, t + each));
      state = last;
      loss = loss + part;
    }
    backward(loss);
    return static_cast<double>(tape.peak());
  };
  for (std::size_t steps = 100; steps < 6400; steps *= 4)
    CHECK(peak(4 * steps, segment_for(4 * steps)) < 2.6 * peak(steps, segment_for(steps)));
  CHECK(peak(6400, 80) < peak(6400, 6400) / 15);
}
