// Tokens and their ids. A token is any UTF-8 string: a character, a word, a tag.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hindsight {

/// Ids that no text spells: the characters "<unk>" in a text are an ordinary token.
enum class Special {
  pad,  ///< fills up short sequences of a batch
  unk,  ///< stands for every token that the vocabulary does not hold
  bos,  ///< begins a sequence
  eos,  ///< ends a sequence
};

/// Lets a map with std::string keys be asked for a string_view without making a string of it.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// A one-to-one map between tokens and the ids 0, 1, ..., size() - 1. Tokens are told apart by
/// their bytes (see models/text.hpp on normal forms).
class Vocabulary {
 public:
  /// Ids in the order given, `specials` before `tokens`. Throws Error on a special or a token given
  /// twice and on a token that is not UTF-8.
  explicit Vocabulary(std::vector<std::string> tokens, std::vector<Special> specials = {});

  std::size_t size() const { return specials_.size() + tokens_.size(); }

  bool contains(std::string_view token) const { return ids_.find(token) != ids_.end(); }
  bool contains(Special special) const;

  /// The id of `token`; where it is not contained, the id of Special::unk, and Error without one.
  int id(std::string_view token) const;

  /// The id of `special`; Error where the vocabulary was made without it.
  int id(Special special) const;

  /// The token of `id`, or "<pad>", "<unk>", "<bos>", "<eos>" to show a special one to a reader.
  /// Throws Error when `id` is not in [0, size()).
  std::string_view spelling(int id) const;

  /// The ids of a range of tokens, e.g. of `characters(text)` or `words(line)`.
  template <class Tokens>
  std::vector<int> encode(const Tokens& tokens) const {
    std::vector<int> ids;
    for (std::string_view token : tokens) ids.push_back(id(token));
    return ids;
  }

  /// The spellings of `ids` with `separator` between them: "" for characters, " " for words.
  std::string decode(std::span<const int> ids, std::string_view separator = "") const;

  /// {"specials": ["unk"], "tokens": ["a", "\r", ...]}: JSON, so that tokens holding line ends,
  /// blanks or nothing at all come back with the ids they had.
  std::string to_json() const;

  /// What `to_json` wrote. Throws Error, its message beginning with `where`, on anything else.
  static Vocabulary from_json(std::string_view text, const std::string& where);

  void save(const std::string& path) const;
  static Vocabulary load(const std::string& path);

  bool operator==(const Vocabulary& other) const {
    return specials_ == other.specials_ && tokens_ == other.tokens_;
  }

 private:
  std::vector<Special> specials_;    // ids 0 ... specials_.size() - 1
  std::vector<std::string> tokens_;  // the ids after them
  std::unordered_map<std::string, int, StringHash, std::equal_to<>> ids_;  // of tokens_
};

/// Which of the counted tokens a vocabulary keeps.
struct VocabularyLimits {
  std::size_t minimum_count = 1;
  std::size_t maximum_tokens = std::numeric_limits<std::size_t>::max();  ///< specials not counted
};

/// How often each token was seen; makes the vocabulary of a training text.
class TokenCounts {
 public:
  void add(std::string_view token);

  template <class Tokens>
  void add_all(const Tokens& tokens) {
    for (std::string_view token : tokens) add(token);
  }

  /// The tokens within `limits`, the most frequent first, equally frequent ones by their bytes.
  Vocabulary vocabulary(std::vector<Special> specials = {}, VocabularyLimits limits = {}) const;

 private:
  std::unordered_map<std::string, std::size_t, StringHash, std::equal_to<>> counts_;
};

}  // namespace hindsight
