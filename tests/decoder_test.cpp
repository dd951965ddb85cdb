// A decoder's step and the summary it begins with, worked out by hand.
#include <catch2/catch_test_macros.hpp>

#include "layers/bidirectional.hpp"
#include "layers/rnn.hpp"
#include "models/axes.hpp"
#include "models/decoder.hpp"

using namespace hindsight;

namespace {

struct Unit : Axis<1> {};

struct Identity {
  auto operator()(const TensorLike auto& x) const { return 1.0 * x; }
};
template <IsAxis I, IsAxis H, class T>
using LinearNet = Rnn<I, H, T, Identity>;

/// A read that brings back ten times what it was asked with.
struct TenTimes {
  using Context = Unit;
  using Scalar = double;
  BOOST_HANA_DEFINE_STRUCT(TenTimes);
  template <class Q, class Memory_>
  auto operator()(const Q& query, const Memory_&) const {
    return Look{Var(query * 10.0), constant<Source, Batch>({1.0}, extent<Source>(1), extent<Batch>(1))};
  }
};

/// What a decoder of two layers shows in two steps: all weights are 1, s_0 = 2, 5 in the upper layer, y = 1, 3.
template <Asks asks>
std::vector<double> two_steps() {
  Decoder<LinearNet, Unit, Unit, TenTimes, 2, asks> decoder;
  for_each_parameter(decoder, [](const Path& path, auto& p) {
    initialise_constant(p, path.text().ends_with("bias") ? 0 : 1);
  });
  const auto one = [](double x) { return constant<Batch, Unit>({x}, extent<Batch>(1)); };
  const auto states = constant<Source, Batch, Unit>({0.0}, extent<Source>(1), extent<Batch>(1));
  const Memory<Var<double, Source, Batch, Unit>, NoMask, NoMask> memory{states, {}, {}};
  const auto s0 = decoder.begin(HiddenState{one(2)}, std::array{HiddenState{one(5)}}, memory);
  CHECK(s0.weights.values() == std::vector{0.0});
  const auto s1 = decoder.step(one(1), s0, memory), s2 = decoder.step(one(3), s1, memory);
  CHECK(s2.weights.values() == std::vector{1.0});
  std::vector<double> shown = output(s1).values();
  for (const double x : output(s2).values()) shown.push_back(x);
  return shown;
}

}  // namespace

TEST_CASE("a decoder's step: asked with the state before, or with the new one") {
  Tape tape;
  // c_1 = 10 s_0 = 20, s_1 = y_1 + c_1 + s_0 = 23, above it 23 + 20 + 5 = 48, shown 23 + 48 and c_1
  CHECK(two_steps<Asks::previous>() == std::vector{71.0, 20.0, 790.0, 230.0});
  // s_1 = y_1 + c_0 + s_0 = 3, c_1 = 10 s_1 = 30, above it 3 + 30 + 5 = 38, shown 3 + 38 and c_1
  CHECK(two_steps<Asks::current>() == std::vector{41.0, 30.0, 470.0, 360.0});
}

TEST_CASE("each layer of a decoder drops units of its own") {
  struct Wide : Axis<64> {};
  Decoder<LinearNet, Wide, Wide, NoRead<Wide, double>, 3> decoder;
  initialise(decoder, 1);
  for (Dropout& dropout : decoder.dropout) dropout.rate = 0.5;
  Tape tape;
  tape.occasion = {.seed = 1, .step = 2, .time = 3, .training = true};
  const auto ones = filled<double, Batch, Wide>(1.0, extent<Batch>(1));
  const auto kept = [&](std::size_t l) { return decoder.dropout[l](ones).values(); };
  CHECK(kept(0) != kept(1));
  CHECK(kept(1) != kept(2));
  CHECK(kept(0) != kept(2));
  CHECK(kept(0) == kept(0));
}

TEST_CASE("the summary of the source is what the top layer ended in, in each direction") {
  using Level = Bidirectional<Rnn<Unit, Unit, double, Identity>>;
  using Reader = Deep<Level, Bidirectional<Rnn<Concat<Unit, Unit>, Unit, double, Identity>>>;
  Reader reader;
  auto& [below, above] = reader.layers;
  initialise_constant(below.forward.from_input.weight, 1);
  initialise_constant(below.backward.from_input.weight, 10);
  initialise_constant(above.forward.from_input.weight, 1);
  initialise_constant(above.backward.from_input.weight, 2);
  Tape tape;
  const auto xs = constant<Source, Batch, Unit>({1.0, 2.0}, extent<Source>(2), extent<Batch>(1));
  CHECK(summary<Level>(below(xs)).values() == std::vector{2.0, 10.0});        // forward h_2, backward h_1
  CHECK(summary<Reader>(reader(xs)).values() == std::vector{22.0, 22.0});     // 2 + 20, and 2 (1 + 10)
  CHECK(summary<Unidirectional<LinearNet<Unit, Unit, double>>>(
            Unidirectional<LinearNet<Unit, Unit, double>>{below.forward}(xs)).values() == std::vector{2.0});
}
