// An encoder-decoder of other cells, end to end: from the loss of three-token targets to every parameter.
#include <catch2/catch_test_macros.hpp>

#include "layers/gru.hpp"
#include "layers/peephole_lstm.hpp"
#include "layers/rnn.hpp"
#include "tests/encoder_decoders.hpp"

using namespace hindsight;

namespace {

struct Emb : Axis<3> {};
struct Hidden : Axis<4> {};
using Both = Concat<Hidden, Hidden>;

}  // namespace

TEST_CASE("peephole LSTMs, and of two directions the last state of each") {
  check_end_to_end<EncoderDecoder<Bidirectional<PeepholeLstm<Emb, Hidden, double>>,
                                  Decoder<PeepholeLstm, Emb, Hidden, LastState<Both, double>>>>();
}

TEST_CASE("a plain recurrent net reads, a GRU with its reset behind the product writes") {
  check_end_to_end<EncoderDecoder<Unidirectional<Rnn<Emb, Hidden, double>>,
                                  Decoder<GruResetAfter, Emb, Hidden, Attention<DotScore<Hidden, double>>>>>();
}
