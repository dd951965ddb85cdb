#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {

std::vector<Mutant> unseen() {
  std::vector<Mutant> all;
  for (const auto family : {unseen_in_rnn, unseen_in_lstm, unseen_in_peephole_lstm, unseen_in_gru, unseen_in_softmax,
                            unseen_in_attention, unseen_in_layer_norm, unseen_in_embedding, unseen_in_cross_entropy})
    for (Mutant& mutant : family()) all.push_back(std::move(mutant));
  return all;
}

}  // namespace hindsight::mutants
