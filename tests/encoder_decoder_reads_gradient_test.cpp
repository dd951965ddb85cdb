// The other reads in an encoder-decoder, end to end: the gradients of the loss by every parameter.
#include "layers/rnn.hpp"
#include "tests/encoder_decoders.hpp"

using namespace hindsight;

namespace {

struct Emb : Axis<2> {};
struct Decoded : Axis<2> {};

template <class Read>
using With = EncoderDecoder<Unidirectional<Rnn<Emb, Decoded, double>>, Decoder<Rnn, Emb, Decoded, Read>>;

}  // namespace

TEST_CASE("dot and scaled dot attention: the decoder is as wide as the encoder") {
  check_end_to_end<With<Attention<DotScore<Decoded, double>>>>();
  check_end_to_end<With<Attention<ScaledDotScore<Decoded, double>>>>();
}

TEST_CASE("general attention, asked with the new state (Luong 2015), over both directions") {
  using Encoder = Bidirectional<Rnn<Emb, Decoded, double>>;
  using Read = Attention<GeneralScore<Decoded, Encoder::Hidden, double>>;
  check_end_to_end<EncoderDecoder<Encoder, Decoder<Rnn, Emb, Decoded, Read, 1, Asks::current>>>();
}

TEST_CASE("the mean and the largest of the states") {
  check_end_to_end<With<MeanState<Decoded, double>>>();
  check_end_to_end<With<MaxState<Decoded, double>>>();
}

TEST_CASE("hard selection teaches all but its score") {
  check_end_to_end<With<HardSelection<GeneralScore<Decoded, Decoded, double>>>>(true);
}
