// Encoder-decoders of each cell, end to end: the gradients of the loss by every parameter.
#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "layers/rnn.hpp"
#include "tests/encoder_decoders.hpp"

using namespace hindsight;

namespace {

struct Emb : Axis<2> {};
struct Hidden : Axis<3> {};   // the encoder's
struct Decoded : Axis<2> {};  // the decoder's
struct Inner : Axis<2> {};    // the additive score's

}  // namespace

TEST_CASE("the first state alone (Sutskever 2014)") {
  check_end_to_end<EncoderDecoder<Unidirectional<Rnn<Emb, Hidden, double>>,
                                  Decoder<Rnn, Emb, Decoded, NoRead<Hidden, double>>>>();
}

TEST_CASE("the last state at every step (Cho 2014)") {
  check_end_to_end<EncoderDecoder<Unidirectional<Lstm<Emb, Decoded, double>>,
                                  Decoder<Lstm, Emb, Decoded, LastState<Decoded, double>>>>();
}

TEST_CASE("additive attention, asked with the state before (Bahdanau 2015)") {
  using Read = Attention<AdditiveScore<Decoded, Decoded, Inner, double>>;
  check_end_to_end<EncoderDecoder<Unidirectional<Gru<Emb, Decoded, double>>, Decoder<Gru, Emb, Decoded, Read>>>();
}
