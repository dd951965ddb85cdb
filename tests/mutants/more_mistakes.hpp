// More mistakes that people make, by the operation they are made in: other operations and other mistakes than in
// real_mistakes.hpp.
#pragma once

#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {

std::vector<Mutant> in_joined_rnn();          // sigmoid([h, x] W + b)
std::vector<Mutant> in_relu_rnn();            // relu of given products
std::vector<Mutant> in_lstm_step();           // with the weights inside
std::vector<Mutant> in_coupled_lstm();        // the gates given
std::vector<Mutant> in_peephole_gate();       // one gate
std::vector<Mutant> in_gru_step();            // with the weights inside
std::vector<Mutant> in_log_softmax();
std::vector<Mutant> in_masked_softmax();
std::vector<Mutant> in_general_score();       // s W m
std::vector<Mutant> in_key_value_attention();
std::vector<Mutant> in_rms_norm();
std::vector<Mutant> in_plain_layer_norm();    // without gain and bias
std::vector<Mutant> in_token_and_position();  // a sum of two lookups
std::vector<Mutant> in_tied_output();         // logits by the table of the embedding
std::vector<Mutant> in_smoothed_cross_entropy();
std::vector<Mutant> in_binary_cross_entropy();
std::vector<Mutant> in_squared_error();

}  // namespace hindsight::mutants
