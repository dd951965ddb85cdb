#include "tests/mutants/more_mistakes.hpp"

namespace hindsight::mutants {

std::vector<Mutant> more_mistakes() {
  std::vector<Mutant> all;
  for (const auto family : {in_joined_rnn, in_relu_rnn, in_lstm_step, in_coupled_lstm, in_peephole_gate, in_gru_step,
                            in_log_softmax, in_masked_softmax, in_general_score, in_key_value_attention, in_rms_norm,
                            in_plain_layer_norm, in_token_and_position, in_tied_output, in_smoothed_cross_entropy,
                            in_binary_cross_entropy, in_squared_error})
    for (Mutant& mutant : family()) all.push_back(std::move(mutant));
  return all;
}

}  // namespace hindsight::mutants
