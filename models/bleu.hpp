// BLEU: how many n-grams of a translation stand in a reference.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace hindsight {

/// What stands for the precision matches / total of an order n, with total > 0, so that one order without
/// matches does not make the whole score 0 (B. Chen, C. Cherry, "A systematic comparison of smoothing
/// techniques for sentence-level BLEU", 2014; M. Post, "A call for clarity in reporting BLEU scores", 2018).
enum class Smoothing {
  none,   ///< nothing
  exp,    ///< 1 / (2^k total) for the k-th order without matches: 1/2, 1/4, ... of a match
  floor,  ///< BleuOptions::floor / total for each order without matches
  add_k,  ///< (matches + k) / (total + k) for each order above 1, with matches or without
};

struct BleuOptions {
  std::size_t order = 4;  ///< the longest n-grams
  Smoothing smoothing = Smoothing::none;
  double floor = 0.1;  ///< in (0, 1]
  double k = 1;        ///< in [0, infinity)
  /// Leaves out the orders that no hypothesis is long enough for. Where it is off, as by default, they make
  /// the score 0, smoothed or not. With add_k it changes nothing: such an order has (0 + k) / (0 + k).
  bool effective_order = false;
};

/// A score and what it was made of. Element n - 1 of a vector is of the n-grams; counts are as counted, and
/// precisions as smoothed.
struct Bleu {
  double score = 0;                  ///< 0..100
  std::vector<double> precisions;    ///< 0..100; all 0 where no word matches
  std::vector<std::size_t> matches;  ///< n-grams of the hypotheses that a reference holds, clipped
  std::vector<std::size_t> totals;   ///< n-grams of the hypotheses
  double brevity_penalty = 0;        ///< 0..1
  std::size_t hypothesis_length = 0;
  std::size_t reference_length = 0;  ///< of the references closest in length
};

/// BLEU of a corpus (K. Papineni, S. Roukos, T. Ward, W.-J. Zhu, "BLEU: a method for automatic evaluation of
/// machine translation", ACL 2002), one list of references for each hypothesis:
///
///     score = 100 BP exp(1/N sum_n log p_n)      p_n = matches_n / totals_n      BP = min(1, exp(1 - r / c))
///
/// where an n-gram matches at most as often as it stands in the one reference that has it most often, c is
/// the length of all hypotheses, and r the sum of the reference lengths closest to each, the shorter of two
/// equally close. The score is 0 where some p_n is, and where no word matches, however it is smoothed.
///
/// Tokens are compared byte by byte (see models/text.hpp on normal forms); nothing is tokenised here. An empty
/// reference counts only where a sentence has no other one: a translation that is missing is not a short one.
///
/// Throws Error for an empty corpus, unequal numbers of hypotheses and lists of references, a sentence with
/// no reference, and options out of their range.
Bleu bleu(std::span<const std::vector<std::string>> hypotheses,
          std::span<const std::vector<std::vector<std::string>>> references, const BleuOptions& options = {});

/// The same over ids.
Bleu bleu(std::span<const std::vector<int>> hypotheses, std::span<const std::vector<std::vector<int>>> references,
          const BleuOptions& options = {});

}  // namespace hindsight
