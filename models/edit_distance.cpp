#include "models/edit_distance.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "autodiff/error.hpp"

namespace hindsight {
namespace {

constexpr std::size_t unreached = std::numeric_limits<std::size_t>::max();

void check_counts(const std::string& what, std::size_t hypotheses, std::size_t references) {
  if (hypotheses != references)
    throw Error(what + ": " + std::to_string(hypotheses) + " hypotheses and " + std::to_string(references) +
                " references, as many were expected");
}

void check_references(const std::string& what, std::span<const std::vector<int>> hypotheses,
                      std::span<const std::vector<std::vector<int>>> references) {
  check_counts(what, hypotheses.size(), references.size());
  for (std::size_t s = 0; s < references.size(); ++s)
    if (references[s].empty())
      throw Error(what + ": sentence " + std::to_string(s) + " has no reference, at least one was expected");
}

double ratio(std::size_t part, std::size_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

}  // namespace

std::size_t edit_distance(std::span<const int> a, std::span<const int> b) {
  std::vector<std::size_t> row(b.size() + 1);  // d(i, 0) ... d(i, length of b), for one i after the other
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];  // d(i-1, j-1)
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

double error_rate(std::span<const std::vector<int>> hypotheses,
                  std::span<const std::vector<std::vector<int>>> references) {
  check_references("error rate", hypotheses, references);
  std::size_t errors = 0, symbols = 0;
  for (std::size_t s = 0; s < hypotheses.size(); ++s) {
    std::pair nearest(unreached, unreached);  // distance and length: the least distance, then the least length
    for (const std::vector<int>& reference : references[s])
      nearest = std::min(nearest, {edit_distance(hypotheses[s], reference), reference.size()});
    errors += nearest.first;
    symbols += nearest.second;
  }
  if (symbols == 0) throw Error("error rate: the nearest references hold no symbol, at least one was expected");
  return ratio(errors, symbols);
}

double word_error_rate(std::span<const std::vector<int>> hypotheses,
                       std::span<const std::vector<std::vector<int>>> references) {
  check_references("word error rate", hypotheses, references);
  if (hypotheses.empty()) throw Error("word error rate: there are no words, at least one was expected");
  std::size_t wrong = 0;
  for (std::size_t s = 0; s < hypotheses.size(); ++s)
    wrong += std::find(references[s].begin(), references[s].end(), hypotheses[s]) == references[s].end();
  return ratio(wrong, hypotheses.size());
}

double token_accuracy(std::span<const std::vector<int>> hypotheses, std::span<const std::vector<int>> references) {
  check_counts("token accuracy", hypotheses.size(), references.size());
  std::size_t counted = 0, right = 0;
  for (std::size_t s = 0; s < references.size(); ++s)
    for (std::size_t i = 0; i < references[s].size(); ++i) {
      if (references[s][i] < 0) continue;
      ++counted;
      right += i < hypotheses[s].size() && hypotheses[s][i] == references[s][i];
    }
  return counted == 0 ? 0 : ratio(right, counted);
}

double sequence_accuracy(std::span<const std::vector<int>> hypotheses, std::span<const std::vector<int>> references) {
  check_counts("sequence accuracy", hypotheses.size(), references.size());
  std::size_t right = 0;
  for (std::size_t s = 0; s < references.size(); ++s) right += hypotheses[s] == references[s];
  return references.empty() ? 0 : ratio(right, references.size());
}

}  // namespace hindsight
