// The made-up task that several tutorials share: reciting a random sequence. Every symbol counts as much
// as every other and none can be guessed, so that what is not remembered is wrong.
#pragma once

#include <vector>

#include "models/pair_batch.hpp"

namespace hindsight::tutorial {

inline constexpr int bos = 1, eos = 2, first_symbol = 3;  // 0 is padding

struct Pairs {
  std::vector<std::vector<int>> sources, targets;

  PairBatch batch() const { return PairBatch::of(sources, targets, bos, eos); }
};

/// `count` sequences of shortest .. longest symbols, drawn uniformly from `symbols` different ones; the target
/// is the source.
inline Pairs recite(std::size_t count, std::size_t shortest, std::size_t longest, std::size_t symbols,
                    const Random& random) {
  Pairs pairs;
  for (std::size_t n = 0; n < count; ++n) {
    const Random mine = random.child(n);
    std::vector<int> x(shortest + mine.child("length").below(longest - shortest + 1, 0));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = first_symbol + static_cast<int>(mine.below(symbols, i));
    pairs.sources.push_back(x);
    pairs.targets.push_back(x);
  }
  return pairs;
}

}  // namespace hindsight::tutorial
