// Encoder-decoders: teacher forcing against a free run, sentences alone and in a batch, padding, and learning.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <cmath>

#include "layers/gru.hpp"
#include "models/encoder_decoder.hpp"
#include "tests/encoder_decoders.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;
using Catch::Matchers::WithinAbs;

namespace {

struct Emb : Axis<3> {};
struct Hidden : Axis<5> {};
struct Inner : Axis<2> {};

using Reading = Attention<AdditiveScore<Hidden, Concat<Hidden, Hidden>, Inner, double>>;
using Attending = EncoderDecoder<Bidirectional<Gru<Emb, Hidden, double>>, Decoder<Gru, Emb, Hidden, Reading>>;
using Fixed =
    EncoderDecoder<Unidirectional<Gru<Emb, Hidden, double>>, Decoder<Gru, Emb, Hidden, NoRead<Hidden, double>>>;

}  // namespace

TEMPLATE_TEST_CASE("teacher forcing is a free run that is fed the right symbols, bit for bit", "", Attending, Fixed) {
  check_teacher_forcing<TestType>();
}

TEMPLATE_TEST_CASE("a sentence alone and in a batch of longer ones: the same symbols and logits", "", Attending,
                   Fixed) {
  check_sentences_alone<TestType>();
}

TEST_CASE("padding of the source, NaN or not, changes no bit") {
  const auto model = filled_model<Attending>(6, 5);
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  Tape tape;
  const auto xs = model.embedded(batch);
  std::vector<double> values = xs.values();
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t b = 0; b < 4; ++b)
      if (i >= sources[b].size()) std::fill_n(values.begin() + static_cast<std::ptrdiff_t>((i * 4 + b) * 3), 3, NAN);
  const auto dirty = variable<Source, Batch, Emb>(values, extent<Source>(7), extent<Batch>(4));
  const auto run = model.teach(batch, model.encode(batch, dirty));
  CHECK(same_bits(run.logits.values(), model(batch).logits.values()));
  for (const auto& s : run.states)
    for (std::size_t b = 0; b < 4; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < 7; ++i) {
        if (i >= sources[b].size()) CHECK(s.weights.at(i, b) == 0);
        sum += s.weights.at(i, b);
      }
      CHECK_THAT(sum, WithinAbs(sources[b].empty() ? 0 : 1, 1e-12));
    }
  backward(cross_entropy<TargetVocab>(run.logits, batch.targets));
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t b = 0; b < 4; ++b)
      for (std::size_t k = 0; k < 3; ++k)
        CHECK((dirty.gradient_at(i, b, k) == 0) == (i >= sources[b].size()));
}

// The loss and all gradients of a batch; behind a target's end the decoder is fed eos, whose embedding is `pad`.
std::vector<double> loss_and_gradients(double pad) {
  auto model = filled_model<Attending>(6, 5);
  {
    const auto edit = model.target.table.edit();
    for (std::size_t k = 0; k < Emb::extent; ++k) model.target.table.var().value[eos * Emb::extent + k] = pad;
  }
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  Tape tape;
  const Var loss = cross_entropy<TargetVocab>(model(batch).logits, batch.targets);
  backward(loss);
  std::vector<double> all{loss.item()};
  for_each_parameter(model, [&](const Path&, auto& p) {
    all.insert(all.end(), p.gradients().begin(), p.gradients().end());
  });
  return all;
}

TEST_CASE("padding of the target, NaN or not, changes no bit of the loss and of the gradients") {
  const std::vector<double> clean = loss_and_gradients(0.5);
  for (const double x : clean) CHECK(std::isfinite(x));
  for (const double pad : {-1e300, double{NAN}, HUGE_VAL}) CHECK(same_bits(loss_and_gradients(pad), clean));
}

TEST_CASE("a symbol that a vocabulary does not have is named with its place") {
  const auto model = Attending::of(3, 5, 1);
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  Tape tape;
  CHECK(says(error_text([&] { model.encode(batch); }), {"source 0 has id 3 at position 0", "0 to 3 exclusive"}));
  const auto other = Attending::of(6, 4, 1);
  CHECK(says(error_text([&] { other(batch); }), {"target 1 has id 4 at position 1", "0 to 4 exclusive"}));
}

TEST_CASE("an encoder-decoder learns pairs by heart, and an empty vocabulary is refused") {
  auto model = Attending::of(6, 5, 1);
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  Adam adam({.rate = 0.05});
  Tape tape;
  const double first = train_step(model, batch, adam, tape, 1);
  for (int i = 0; i < 150; ++i) train_step(model, batch, adam, tape, 1);
  CHECK(train_step(model, batch, adam, tape, 1) < 0.05 * first);
  const Written written = greedy(model, batch, bos, eos, 12);
  for (std::size_t b = 0; b < 4; ++b) CHECK(std::ranges::equal(written[b], targets[b]));
  CHECK(greedy(model, batch, bos, eos, 1)[2] == std::vector<std::int32_t>{3});
  CHECK_THROWS_AS(Attending::of(0, 5, 1), Error);
  CHECK_THROWS_AS(Attending::of(6, 0, 1), Error);
}
