// An encoder-decoder of three layers of LSTMs, in float: the first states, teacher forcing, sentences alone.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "layers/lstm.hpp"
#include "models/encoder_decoder.hpp"
#include "tests/encoder_decoders.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

struct Emb : Axis<3> {};
struct Hidden : Axis<5> {};

using Reading = Attention<ScaledDotScore<Hidden, float>>;
using Deeper = EncoderDecoder<Unidirectional<Lstm<Emb, Hidden, float>>,
                              Decoder<Lstm, Emb, Hidden, Reading, 3, Asks::current>>;

}  // namespace

TEST_CASE("the first state is a map of the last one of the source, for each variable of each layer") {
  auto model = Deeper::of(6, 5, 1);
  float next = 0.125F;
  const auto set = [&](auto& bridge) {  // V = 0: what is left is tanh(b)
    for (auto& map : bridge.maps) {
      initialise_constant(map.map.weight, 0);
      initialise_constant(map.bias, std::atanh(next));
      next += 0.125F;
    }
  };
  set(model.bridge);
  for (auto& bridge : model.upper_bridges) set(bridge);
  Tape tape;
  const auto s = model.encode(PairBatch::of(sources, targets, bos, eos)).state;
  float expected = 0.125F;
  const auto check = [&](const auto& v) {
    for (const float x : v.values()) CHECK_THAT(x, WithinAbs(expected, 1e-6));
    expected += 0.125F;
    return v;
  };
  zip(check, s.bottom);
  for (const auto& upper : s.upper) zip(check, upper);
  CHECK(expected == 7 * 0.125F);
  CHECK(output(s).values() == std::vector<float>(output(s).size()));
}

TEST_CASE("three layers: teacher forcing is a free run that is fed the right symbols, bit for bit") {
  check_teacher_forcing<Deeper>();
}

TEST_CASE("three layers: a sentence alone and in a batch of longer ones, the same symbols and logits") {
  check_sentences_alone<Deeper>();
}
