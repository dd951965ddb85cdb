// Beam search: the best few continuations are kept at every step.
//
// It knows nothing of nets: it is told how likely each next symbol is after each hypothesis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace hindsight {

/// A sequence of symbols, eos not among them.
struct Hypothesis {
  std::vector<std::int32_t> symbols;
  double log_probability = 0;  ///< of all symbols, of eos too where it is finished
  double score = 0;            ///< log_probability / length^length_power, by which hypotheses are ranked
  bool finished = false;       ///< it ends in eos; otherwise the length ran out
};

struct BeamOptions {
  std::size_t beam = 5;
  std::size_t max_length = 100;  ///< symbols a hypothesis may have, eos included
  double length_power = 1;       ///< 0: no normalisation; 1: the mean log-probability of a symbol
};

/// Log-probabilities of the next symbol, a row a hypothesis. Row r goes on from row parents[r] of the call
/// before, whose next symbol was symbols[r]; in the first call there is one row, parent 0 and bos.
using Expand = std::function<std::vector<double>(std::span<const std::size_t> parents,
                                                 std::span<const std::int32_t> symbols)>;

/// The best hypotheses, best first, at most `beam`. Of each step's continuations the `beam` likeliest
/// are taken; those that end in eos are finished and leave the beam, and are never extended. The search
/// stops when `beam` are finished, when none is left, or at max_length; unfinished ones are returned only
/// where the finished are fewer than `beam`, behind them. Ties: the hypothesis that ranked first before,
/// then the smaller symbol. A symbol of probability 0 is never taken. Throws Error for a beam of 0, a length
/// of 0, a length power that is no number, an eos that is no symbol, a row that is not `symbols` long, and a
/// log-probability that is NaN.
std::vector<Hypothesis> beam_search(std::size_t symbols, std::int32_t bos, std::int32_t eos, const BeamOptions& options,
                                    const Expand& expand);

}  // namespace hindsight
