// Encoder-decoders of several layers, end to end: the gradients of the loss by every parameter.
#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "layers/rnn.hpp"
#include "tests/encoder_decoders.hpp"

using namespace hindsight;

namespace {

struct Emb : Axis<2> {};
struct Decoded : Axis<2> {};
struct Inner : Axis<2> {};

}  // namespace

TEST_CASE("three layers, of which the bottom one asks (Wu 2016), above two of the encoder") {
  using Encoder = Deep<Bidirectional<Rnn<Emb, Decoded, double>>,
                       Unidirectional<Rnn<Concat<Decoded, Decoded>, Decoded, double>>>;
  using Read = Attention<AdditiveScore<Decoded, Decoded, Inner, double>>;
  check_end_to_end<EncoderDecoder<Encoder, Decoder<Lstm, Emb, Decoded, Read, 3>>>();
  check_end_to_end<EncoderDecoder<Encoder, Decoder<Gru, Emb, Decoded, Read, 3, Asks::current>>>();
}
