#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {

std::vector<Mutant> real_mistakes() {
  std::vector<Mutant> all;
  for (const auto family : {in_rnn, in_bptt, in_lstm, in_peephole_lstm, in_gru, in_attention, in_additive_score,
                            in_softmax, in_cross_entropy, in_layer_norm, in_embedding, in_dense})
    for (Mutant& mutant : family()) all.push_back(std::move(mutant));
  return all;
}

}  // namespace hindsight::mutants
