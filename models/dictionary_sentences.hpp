// German sentences and their English translations: the examples of the dictionary in Debian's
// package trans-de-en (Frank Richter, TU Chemnitz, https://dict.tu-chemnitz.de, GPL).
//
//     hageln {vi} [meteo.] | hagelnd | gehagelt | Es hagelt. :: to hail | hailing | hailed | It is hailing.
//
// An entry a line: "::" stands between the languages, "|" between sub-entries, whose translation
// has the same place on the other side, ";" between variants, and brackets hold annotations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight {

/// Where trans-de-en puts the dictionary.
inline constexpr const char* german_english_dictionary_path = "/usr/share/trans/de-en";

/// A sentence in both languages.
struct SentencePair {
  std::string german, english;
  std::size_t entry = 0;  ///< the dictionary's line, from 1

  bool operator==(const SentencePair&) const = default;
};

/// The 17922 sentence pairs of the dictionary at `path`, in its order, each once.
///
/// A pair is two sub-entries at one place of an entry with as many on both sides. On either side
/// what stands in (), [] and {} is dropped, and of several variants the first is taken. What is
/// left must be a sentence: a capital letter (A to Z, Ä, Ö, Ü) begins it, and . ! or ? ends it.
/// Left out are pairs where brackets do not match, and where a side shows alternatives or
/// placeholders: "/", "<", ">", "~", "…", "etw.", "jdm." and its like, "sb.", "sth.".
///
/// Throws Error where the file is missing, naming the package, where it is no text (see
/// `read_text`), and with its number at a line that is neither a comment ("# ...") nor two sides.
std::vector<SentencePair> read_dictionary_sentences(
    const std::string& path = german_english_dictionary_path);

/// Pairs to train on (nine in ten), to choose settings by, and to be judged by (one in twenty each).
struct SentenceParts {
  std::vector<SentencePair> training, validation, test;
};

/// Each of `pairs` in its part, so that no part holds a sentence of another, in either language,
/// nor an entry of another: pairs that have an entry or a sentence in common are one group, and so
/// are pairs that a chain of such links connects.
///
/// A group's part is a function of `seed` and the first of its German sentences (by their bytes):
/// the order of the pairs does not matter, nor do pairs outside the group, nor the lines' numbers.
SentenceParts split_by_entry(std::span<const SentencePair> pairs, std::uint64_t seed = 0);

/// The words and punctuation marks of a sentence, in small letters:
///
///     "Wie geht’s, Ärzte?" -> wie geht's , ärzte ?
///
/// A word is a run of letters (A to Z, U+00C0 to U+027F but × and ÷) and digits. Apostrophes and
/// hyphens within it belong to it ("don't", "well-known"), and so do points and commas between
/// digits ("10,000"). All else but blanks is a token a character. A to Z, Ä, Ö and Ü become small:
/// German nouns lose their capital, and the vocabulary a second entry for each word that can
/// begin a sentence. The apostrophe U+2019 becomes ', since the dictionary writes both.
///
/// Throws Error when `sentence` is not UTF-8.
std::vector<std::string> tokens(std::string_view sentence);

}  // namespace hindsight
