// Written words and how they are spoken, as numbers for an encoder-decoder.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "models/pronunciations.hpp"
#include "models/vocabulary.hpp"

namespace hindsight {

/// Words as letters, and all the ways in which each may be spoken as phonemes.
struct SpokenWords {
  std::vector<std::vector<int>> letters;
  std::vector<std::vector<std::vector<int>>> spoken;

  std::size_t size() const { return letters.size(); }

  /// Each word once for each of its pronunciations: what is trained on.
  struct Pairs {
    std::vector<std::vector<int>> letters, phonemes;
  };
  Pairs pairs() const;

  /// The words with at least `least` and fewer than `end` letters, as places in `letters`.
  std::vector<std::size_t> with_letters(std::size_t least, std::size_t end) const;
};

/// The dictionary in its parts. Both vocabularies begin with pad, bos and eos, and are those of the training part.
struct SpokenWordData {
  Vocabulary letters, phonemes;
  SpokenWords training, validation, test;

  /// Splits and encodes. Throws Error if a letter or phoneme is met outside of the training part only.
  static SpokenWordData of(std::span<const Pronounced> words, std::uint64_t seed = 0);
};

/// The trivial baseline: every letter is spoken as it is most often in the training's pronunciations that have as
/// many phonemes as their words have letters. A letter that is in none of them is silent.
std::vector<std::vector<int>> letter_by_letter(const SpokenWords& training, std::span<const std::vector<int>> words);

}  // namespace hindsight
