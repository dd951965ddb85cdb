// Eight layers deep, encoder and decoder, in GNMT's arrangement (Wu et al. 2016): it must still train.
#include <catch2/catch_test_macros.hpp>

#include "autodiff/optimizers.hpp"
#include "layers/combine.hpp"
#include "layers/gru.hpp"
#include "models/decoding.hpp"
#include "models/edit_distance.hpp"
#include "models/encoder_decoder.hpp"

using namespace hindsight;

namespace {

struct Emb : Axis<16> {};
struct Hidden : Axis<24> {};
constexpr int bos = 1, eos = 2, first_symbol = 3, symbols = 6;

using Above = Residual<Gru<Hidden, Hidden>>;
using Eight = Stack<Gru<Emb, Hidden>, Above, Above, Above, Above, Above, Above, Above>;
using Deepest = EncoderDecoder<Unidirectional<Eight>, Decoder<Gru, Emb, Hidden, Attention<DotScore<Hidden>>, 8>>;

std::vector<std::vector<int>> sequences(std::size_t count, const Random& random) {
  std::vector<std::vector<int>> all(count);
  for (std::size_t n = 0; n < count; ++n) {
    const Random mine = random.child(n);
    all[n].resize(2 + mine.child("length").below(5, 0));
    for (std::size_t i = 0; i < all[n].size(); ++i) all[n][i] = first_symbol + static_cast<int>(mine.below(symbols, i));
  }
  return all;
}

}  // namespace

TEST_CASE("an encoder and a decoder of eight layers each learn to recite") {
  auto net = Deepest::of(first_symbol + symbols, first_symbol + symbols, 1);
  Adam adam({.rate = 5e-3});
  Tape tape;
  for (std::uint64_t step = 0; step < 250; ++step) {
    const auto some = sequences(32, Random{1}.child(step));
    train_step(net, PairBatch::of(some, some, bos, eos), adam, tape, 1);
  }
  const auto test = sequences(100, Random{2});
  const auto written = greedy(net, PairBatch::of(test, test, bos, eos), bos, eos, 10);
  INFO("guessing is right with 1/6");
  const double right = token_accuracy(written, test);
  CHECK(right > 0.9);
}
