// English words and how they are spoken: the CMU pronouncing dictionary of Debian's package
// pocketsphinx-en-us (Carnegie Mellon University, BSD licence).
//
//     abdomen AE B D OW M AH N
//     abdomen(2) AE B D AH M AH N
//
// A word a line and its phonemes, 39 in all, the vowels without their stress. Further
// pronunciations of a word are numbered from 2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hindsight {

/// Where pocketsphinx-en-us puts the dictionary.
inline constexpr const char* pronouncing_dictionary_path =
    "/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict";

/// A word and all its pronunciations in the dictionary's order, each a sequence of phonemes.
struct Pronounced {
  std::string word;
  std::vector<std::vector<std::string>> phonemes;

  bool operator==(const Pronounced&) const = default;
};

/// What `read_pronunciations` found.
struct Pronunciations {
  std::vector<Pronounced> words;  ///< in the order of their spellings' bytes, each word once
  std::size_t left_out = 0;       ///< words spelled with anything but a to z and the apostrophe
};

/// The dictionary at `path`: the 124804 words that a to z and ' spell, in lower case; 1141 others
/// ("a.m.", "able-bodied") are left out.
///
/// Throws Error where the file is missing, naming the package, where it is no text (see
/// `read_text`), and with its number at a line that is no word with its phonemes, whose phonemes
/// are no capital letters, or whose word is not numbered as the next of its pronunciations.
Pronunciations read_pronunciations(const std::string& path = pronouncing_dictionary_path);

/// Words to train on (nine in ten), to choose settings by, and to be judged by (one in twenty each).
struct PronouncedParts {
  std::vector<Pronounced> training, validation, test;
};

/// Each of `words` in its part. The part is a function of `seed` and the spelling alone, whatever
/// the other words and their order. Inflected forms are words of their own: "abbey" and "abbeys"
/// may fall into different parts.
PronouncedParts split(std::span<const Pronounced> words, std::uint64_t seed = 0);

}  // namespace hindsight
