// Counting: the language models that a net must beat.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace hindsight {

/// An n-gram model, interpolated after Witten and Bell (1991): with a context c seen N(c) times and
/// followed by D(c) different symbols,
///
///     p_n(x | c)  =  (N(c x) + D(c) p_{n-1}(x | c without its first symbol)) / (N(c) + D(c))
///
/// and p_0 = 1 / symbols. Nothing is tuned. Order 1 is the unigram, order 3 the trigram.
class Ngram {
 public:
  /// Counts the text. Throws Error if order is 0, there is no symbol, or an id is not one of them.
  Ngram(std::size_t order, std::size_t symbols, std::span<const int> text);

  /// p(text[i] | what precedes it).
  double probability(std::span<const int> text, std::size_t i) const;

  /// The mean of -log2 p over a text, in bits a symbol; the first symbols have shorter contexts.
  double bits(std::span<const int> text) const;

 private:
  struct Context {
    std::uint64_t seen = 0;
    std::unordered_map<int, std::uint64_t> next;
  };

  std::size_t order_, symbols_;
  std::vector<std::unordered_map<std::uint64_t, Context>> contexts_;  // by length of the context
};

}  // namespace hindsight
