// oneDNN as a peer: the vendor's fused recurrent layers, called without any framework in between.
#pragma once

#include "bench/compare/contender.hpp"

namespace hindsight::bench {

/// The version of oneDNN; nothing if this program was built without.
std::string onednn_version();

/// How many threads oneDNN uses.
void set_onednn_threads(int count);

/// A training step of one of its layers: rnn, lstm, peephole, gru, gru_reset_after.
Peer onednn_layer();

/// One inference step of its LSTM.
Peer onednn_inference();

/// Its matrix product.
Peer onednn_product();

}  // namespace hindsight::bench
