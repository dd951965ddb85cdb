// Whole models by the complex step: from the symbols to the loss, right to machine precision.
#include <catch2/catch_test_macros.hpp>

#include "autodiff/complex_step.hpp"
#include "layers/lstm.hpp"
#include "layers/rnn.hpp"
#include "models/encoder_decoder.hpp"
#include "models/language_model.hpp"

using namespace hindsight;

namespace {

struct Emb : Axis<2> {};
struct Encoded : Axis<2> {};
struct Decoded : Axis<3> {};
struct Score : Axis<2> {};

template <class T>
using Attentive = Attention<AdditiveScore<Decoded, Concat<Encoded, Encoded>, Score, T>>;
template <class T>
using Seq2Seq = EncoderDecoder<Bidirectional<Lstm<Emb, Encoded, T>>, Decoder<Lstm, Emb, Decoded, Attentive<T>, 2>>;

template <class T>
using Symbols = LanguageModel<Rnn<Emb, Decoded, T>>;

}  // namespace

TEST_CASE("an encoder-decoder with attention passes the complex step") {
  const std::vector<std::vector<int>> sources{{1, 0, 2}, {3}, {}}, targets{{2, 3}, {3}, {2, 2}};
  const PairBatch batch = PairBatch::of(sources, targets, 0, 1);
  auto model = Seq2Seq<double>::of(4, 4, 1);
  const auto report = check_complex_step(
      [&](const auto& m) { return cross_entropy<TargetVocab>(m(batch).logits, batch.targets); }, model,
      Seq2Seq<Complex>::of(4, 4, 1));
  INFO(report.text());
  CHECK(report.ok());
}

TEST_CASE("a language model passes the complex step") {
  const std::vector<std::int32_t> symbols{0, 3, 1, 4, 2, 1}, next{1, 4, 2, 1, -1, 0};
  auto model = Symbols<double>::of(5, 1);
  const auto report = check_complex_step(
      [&](const auto& m) { return cross_entropy<Vocab>(m(symbols, 3, m.initial(2)).first, next); }, model,
      Symbols<Complex>::of(5, 1));
  INFO(report.text());
  CHECK(report.ok());
}
