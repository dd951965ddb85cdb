// Wrong backwards after mistakes that people make, written without a look at the rules by which the checker names
// them. What a mistake may be called was decided from the mistake; only whether it is found was tried.
#pragma once

#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {

std::vector<Mutant> unseen_in_rnn();
std::vector<Mutant> unseen_in_lstm();
std::vector<Mutant> unseen_in_peephole_lstm();
std::vector<Mutant> unseen_in_gru();
std::vector<Mutant> unseen_in_softmax();
std::vector<Mutant> unseen_in_attention();
std::vector<Mutant> unseen_in_layer_norm();
std::vector<Mutant> unseen_in_embedding();
std::vector<Mutant> unseen_in_cross_entropy();

}  // namespace hindsight::mutants
