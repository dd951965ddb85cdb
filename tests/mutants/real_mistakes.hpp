// The mistakes that people make, by the operation they make them in. What a mistake may be called was decided
// from the mistake, before the checker was asked.
#pragma once

#include "tests/mutants/mutant.hpp"

namespace hindsight::mutants {

std::vector<Mutant> in_rnn();            // one step
std::vector<Mutant> in_bptt();           // all steps, by hand
std::vector<Mutant> in_lstm();
std::vector<Mutant> in_peephole_lstm();
std::vector<Mutant> in_gru();
std::vector<Mutant> in_attention();
std::vector<Mutant> in_additive_score();
std::vector<Mutant> in_softmax();
std::vector<Mutant> in_cross_entropy();
std::vector<Mutant> in_layer_norm();
std::vector<Mutant> in_embedding();
std::vector<Mutant> in_dense();

/// Makes the mutants of one operation: check(mistake, seed) is the model's check.
template <class Mistakes>
struct MutantsOf {
  std::string operation;
  GradientReport (*check)(Mistakes, std::uint64_t seed);

  Mutant right() const { return (*this)("as it should be", {}, Mistakes::none); }
  Mutant operator()(const std::string& what, std::vector<Mistake> right_names, Mistakes mistake) const {
    return {operation + ", " + what, std::move(right_names),
            [run = check, mistake](std::uint64_t seed) { return run(mistake, seed); }};
  }
};

}  // namespace hindsight::mutants
