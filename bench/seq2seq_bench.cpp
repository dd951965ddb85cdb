// A training step with Adam of two whole models, in milliseconds:
//
// attention_seq2seq: bidirectional GRU encoder, 128 each way; additive attention of size 128 over 20
//   positions; GRU decoder of 128, teacher-forced for 20 steps; embedding 64, vocabularies of 1000, batch 32;
// char_lm: vocabulary 65, embedding 64, one LSTM layer of 256, batch 32, 64 characters.
#include "bench/cells.hpp"
#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "models/encoder_decoder.hpp"
#include "models/language_model.hpp"

namespace hindsight::bench {
namespace {

struct Emb : Axis<64> {};
struct Units : Axis<128> {};
struct Scored : Axis<128> {};
struct LmHidden : Axis<256> {};

std::vector<std::int32_t> symbols(std::size_t count, std::uint64_t vocabulary) {
  std::vector<std::int32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::int32_t>(Random{3}.below(vocabulary, i));
  return ids;
}

void attention_seq2seq(benchmark::State& state) {
  using Reader = Bidirectional<Gru<Emb, Units>>;
  using Read = Attention<AdditiveScore<Units, Reader::Hidden, Scored>>;
  constexpr std::size_t vocabulary = 1000, batch = 32, positions = 20;
  const double product = product_speed();
  auto model = EncoderDecoder<Reader, Decoder<Gru, Emb, Units, Read>>::of(vocabulary, vocabulary, 1);
  std::vector<std::vector<int>> sources, targets;
  for (std::size_t b = 0; b < batch; ++b) {
    const auto ids = symbols(2 * positions, vocabulary);
    sources.emplace_back(ids.begin(), ids.begin() + positions);
    targets.emplace_back(ids.begin() + positions, ids.end() - 1);  // and eos: 20 steps
  }
  const PairBatch pairs = PairBatch::of(sources, targets, 1, 2);
  Adam adam;
  Tape tape;
  for (int warm_up = 0; warm_up < 3; ++warm_up) train_step(model, pairs, adam, tape, 1);
  for (auto _ : state) benchmark::DoNotOptimize(train_step(model, pairs, adam, tape, 1));
  state.counters["product GFLOP/s"] = product;
}
BENCHMARK(attention_seq2seq)->Unit(benchmark::kMillisecond);

void char_lm(benchmark::State& state) {
  constexpr std::size_t vocabulary = 65;
  const double product = product_speed();
  auto model = LanguageModel<Lstm<Emb, LmHidden>>::of(vocabulary, 1);
  const auto text = symbols(32 * 64 * 10, vocabulary);
  LanguageModelTrainer trainer(model, text, {.batch = 32, .window = 64});
  for (int warm_up = 0; warm_up < 3; ++warm_up) trainer.step();
  for (auto _ : state) benchmark::DoNotOptimize(trainer.step());
  state.counters["product GFLOP/s"] = product;
}
BENCHMARK(char_lm)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hindsight::bench

BENCHMARK_MAIN();
