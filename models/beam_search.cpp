#include "models/beam_search.hpp"

#include <algorithm>
#include <cmath>

#include "autodiff/error.hpp"

namespace hindsight {
namespace {

/// A hypothesis and one more symbol.
struct Continuation {
  double log_probability;
  std::size_t parent;
  std::int32_t symbol;
};

bool better(const Continuation& a, const Continuation& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.parent != b.parent ? a.parent < b.parent : a.symbol < b.symbol;
}

/// The likeliest continuations of all live hypotheses, best first.
std::vector<Continuation> best(const std::vector<Hypothesis>& live, const std::vector<double>& next, std::size_t symbols,
                               std::size_t count) {
  std::vector<Continuation> all;
  for (std::size_t r = 0; r < live.size(); ++r)
    for (std::size_t k = 0; k < symbols; ++k) {
      const double p = live[r].log_probability + next[r * symbols + k];
      if (std::isnan(p))
        throw Error("beam search: the log-probability of symbol " + std::to_string(k) + " behind hypothesis " +
                    std::to_string(r) + " is NaN");
      if (p > -HUGE_VAL) all.push_back({p, r, static_cast<std::int32_t>(k)});
    }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), all.begin() + kept, all.end(), better);
  all.erase(all.begin() + kept, all.end());
  return all;
}

void rank(std::vector<Hypothesis>& hypotheses, double length_power) {
  for (Hypothesis& h : hypotheses) {
    const double length = static_cast<double>(h.symbols.size() + (h.finished ? 1 : 0));
    h.score = length == 0 ? h.log_probability : h.log_probability / std::pow(length, length_power);
  }
  std::stable_sort(hypotheses.begin(), hypotheses.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.finished != b.finished ? a.finished : a.score > b.score;
  });
}

}  // namespace

std::vector<Hypothesis> beam_search(std::size_t symbols, std::int32_t bos, std::int32_t eos, const BeamOptions& options,
                                    const Expand& expand) {
  if (options.beam == 0) throw Error("beam search: the beam must be at least 1 wide");
  if (options.max_length == 0) throw Error("beam search: the length must be at least 1");
  if (!std::isfinite(options.length_power)) throw Error("beam search: the length power must be a number");
  if (eos < 0 || static_cast<std::size_t>(eos) >= symbols)
    throw Error("beam search: eos is " + std::to_string(eos) + ", the symbols are 0 to " + std::to_string(symbols) +
                " exclusive");
  std::vector<Hypothesis> live(1), finished;
  std::vector<std::size_t> parents{0};
  std::vector<std::int32_t> last{bos};
  for (std::size_t step = 0; step < options.max_length && !live.empty() && finished.size() < options.beam; ++step) {
    const std::vector<double> next = expand(parents, last);
    if (next.size() != live.size() * symbols)
      throw Error("beam search: " + std::to_string(next.size()) + " log-probabilities for " +
                  std::to_string(live.size()) + " hypotheses of " + std::to_string(symbols) + " symbols");
    std::vector<Hypothesis> longer;
    parents.clear();
    last.clear();
    for (const Continuation& c : best(live, next, symbols, options.beam)) {
      Hypothesis h = live[c.parent];
      h.log_probability = c.log_probability;
      if (c.symbol == eos) {
        h.finished = true;
        finished.push_back(std::move(h));
      } else {
        h.symbols.push_back(c.symbol);
        longer.push_back(std::move(h));
        parents.push_back(c.parent);
        last.push_back(c.symbol);
      }
    }
    live = std::move(longer);
  }
  std::vector<Hypothesis> all = std::move(finished);
  if (all.size() < options.beam) all.insert(all.end(), live.begin(), live.end());
  rank(all, options.length_power);
  if (all.size() > options.beam) all.resize(options.beam);
  return all;
}

}  // namespace hindsight
