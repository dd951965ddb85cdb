#include "models/bleu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "autodiff/error.hpp"

namespace hindsight {
namespace {

using Sentence = std::vector<int>;
using References = std::vector<Sentence>;
using NgramCounts = std::map<Sentence, std::size_t>;

void check(const BleuOptions& options) {
  if (options.order == 0) throw Error("bleu: the order is 0, at least 1 was expected");
  if (!(options.floor > 0 && options.floor <= 1))
    throw Error("bleu: floor is " + std::to_string(options.floor) + ", more than 0 and at most 1 was expected");
  if (!(options.k >= 0 && options.k < std::numeric_limits<double>::infinity()))
    throw Error("bleu: k is " + std::to_string(options.k) + ", a finite number of at least 0 was expected");
}

void check_counts(std::size_t hypotheses, std::size_t references) {
  if (hypotheses != references)
    throw Error("bleu: " + std::to_string(hypotheses) + " hypotheses and " + std::to_string(references) +
                " lists of references, as many were expected");
  if (hypotheses == 0) throw Error("bleu: the corpus is empty, at least one sentence was expected");
}

NgramCounts ngrams(const Sentence& sentence, std::size_t n) {
  NgramCounts counts;
  for (auto first = sentence.begin(); static_cast<std::size_t>(sentence.end() - first) >= n; ++first)
    ++counts[Sentence(first, first + static_cast<std::ptrdiff_t>(n))];
  return counts;
}

std::size_t clipped_matches(const Sentence& hypothesis, const References& references, std::size_t n) {
  const NgramCounts found = ngrams(hypothesis, n);
  NgramCounts most;  // of each n-gram in one reference
  for (const Sentence& reference : references)
    for (const auto& [ngram, count] : ngrams(reference, n)) most[ngram] = std::max(most[ngram], count);
  std::size_t matches = 0;
  for (const auto& [ngram, count] : found)
    if (const auto allowed = most.find(ngram); allowed != most.end()) matches += std::min(count, allowed->second);
  return matches;
}

/// The length closest to the hypothesis's, the shorter of two; 0 only if all references are empty.
std::size_t closest_length(std::size_t hypothesis, const References& references) {
  std::size_t closest = 0;
  for (const Sentence& reference : references) {
    const std::size_t length = reference.size();
    const auto distance = [&](std::size_t l) { return std::pair(l > hypothesis ? l - hypothesis : hypothesis - l, l); };
    if (length > 0 && (closest == 0 || distance(length) < distance(closest))) closest = length;
  }
  return closest;
}

double brevity_penalty(std::size_t hypothesis, std::size_t reference) {
  if (hypothesis >= reference) return 1;
  return hypothesis == 0 ? 0 : std::exp(1 - static_cast<double>(reference) / static_cast<double>(hypothesis));
}

/// Turns what was counted into precisions and the score.
void finish(Bleu& result, const BleuOptions& options) {
  result.precisions.assign(options.order, 0);
  result.brevity_penalty = brevity_penalty(result.hypothesis_length, result.reference_length);
  if (result.matches[0] == 0) return;  // no word matches, hence no longer n-gram
  double log_sum = 0, half = 1;
  std::size_t orders = options.order;
  for (std::size_t n = 1; n <= options.order; ++n) {
    const double added = options.smoothing == Smoothing::add_k && n > 1 ? options.k : 0;
    double matches = static_cast<double>(result.matches[n - 1]) + added;
    const double total = static_cast<double>(result.totals[n - 1]) + added;
    if (total == 0 && options.effective_order) {
      orders = n - 1;
      break;
    }
    if (total == 0) return;
    if (matches == 0 && options.smoothing == Smoothing::exp) matches = half /= 2;
    if (matches == 0 && options.smoothing == Smoothing::floor) matches = options.floor;
    result.precisions[n - 1] = 100 * matches / total;
    log_sum += std::log(matches / total);  // -inf for no matches: the score is 0
  }
  const double mean = std::exp(log_sum / static_cast<double>(orders));
  result.score = std::min(100.0, 100 * result.brevity_penalty * mean);
}

}  // namespace

Bleu bleu(std::span<const Sentence> hypotheses, std::span<const References> references, const BleuOptions& options) {
  check(options);
  check_counts(hypotheses.size(), references.size());
  Bleu result;
  result.matches.assign(options.order, 0);
  result.totals.assign(options.order, 0);
  for (std::size_t s = 0; s < hypotheses.size(); ++s) {
    if (references[s].empty())
      throw Error("bleu: sentence " + std::to_string(s) + " has no reference, at least one was expected");
    const std::size_t length = hypotheses[s].size();
    result.hypothesis_length += length;
    result.reference_length += closest_length(length, references[s]);
    for (std::size_t n = 1; n <= std::min(length, options.order); ++n) {
      result.matches[n - 1] += clipped_matches(hypotheses[s], references[s], n);
      result.totals[n - 1] += length + 1 - n;
    }
  }
  finish(result, options);
  return result;
}

Bleu bleu(std::span<const std::vector<std::string>> hypotheses,
          std::span<const std::vector<std::vector<std::string>>> references, const BleuOptions& options) {
  std::unordered_map<std::string, int> ids;
  const auto encode = [&](const std::vector<std::string>& tokens) {
    Sentence sentence;
    for (const std::string& token : tokens)
      sentence.push_back(ids.try_emplace(token, static_cast<int>(ids.size())).first->second);
    return sentence;
  };
  std::vector<Sentence> hypothesis_ids;
  std::vector<References> reference_ids;
  for (const auto& tokens : hypotheses) hypothesis_ids.push_back(encode(tokens));
  for (const auto& list : references) {
    reference_ids.emplace_back();
    for (const auto& tokens : list) reference_ids.back().push_back(encode(tokens));
  }
  return bleu(hypothesis_ids, reference_ids, options);
}

}  // namespace hindsight
