#include "models/dictionary_sentences.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "autodiff/error.hpp"
#include "autodiff/random.hpp"
#include "models/text.hpp"

namespace hindsight {
namespace {

std::vector<std::string_view> pieces(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t end = text.find(separator);
    result.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return result;
    text.remove_prefix(end + separator.size());
  }
}

/// `text` without what stands in brackets, nested or not; nothing where they do not match.
std::optional<std::string> without_annotations(std::string_view text) {
  std::string result, awaited;  // awaited: closing brackets, the next one last
  for (const char c : text) {
    if (c == '(' || c == '[' || c == '{') {
      awaited += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (awaited.empty() || awaited.back() != c) return std::nullopt;
      awaited.pop_back();
    } else if (awaited.empty()) {
      result += c;
    }
  }
  if (!awaited.empty()) return std::nullopt;
  return result;
}

/// The words of `text` with one blank between them, and none before a punctuation mark.
std::string tidy(std::string_view text) {
  std::string result;
  for (std::string_view word : words(text)) {
    const bool mark = word.find_first_not_of(",.:!?") == std::string_view::npos;
    if (!result.empty() && !mark) result += ' ';
    result += word;
  }
  return result;
}

bool is_sentence(std::string_view text) {
  if (text.empty()) return false;
  const bool capital = ('A' <= text.front() && text.front() <= 'Z') || text.starts_with("Ä") ||
                       text.starts_with("Ö") || text.starts_with("Ü");
  const bool ended = text.back() == '.' || text.back() == '!' || text.back() == '?';
  constexpr std::string_view leftovers[] = {"/", "<", ">", "~", "…", "etw.", "jd", "sb.", "sth."};
  return capital && ended &&
         std::none_of(std::begin(leftovers), std::end(leftovers), [&](std::string_view leftover) {
           return text.find(leftover) != std::string_view::npos;
         });
}

/// The sentence that a sub-entry is, "" where it is none.
std::string sentence_of(std::string_view sub_entry) {
  const std::optional<std::string> text = without_annotations(sub_entry);
  if (!text) return "";
  std::string first = tidy(std::string_view(*text).substr(0, text->find(';')));
  return is_sentence(first) ? first : "";
}

/// Sets of the numbers 0..n-1 that grow together (union-find; R. Tarjan, "Efficiency of a good but
/// not linear set union algorithm", 1975). A set goes by one of its numbers.
class Groups {
 public:
  explicit Groups(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }

  std::size_t of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  void unite(std::size_t i, std::size_t j) { parent_[of(j)] = of(i); }

 private:
  std::vector<std::size_t> parent_;
};

bool is_digit(std::string_view character) {
  return character.size() == 1 && '0' <= character[0] && character[0] <= '9';
}

/// Whether a character in small letters belongs into words.
bool is_letter_or_digit(std::string_view character) {
  if (character.size() == 1) {
    return ('a' <= character[0] && character[0] <= 'z') || is_digit(character);
  }
  const auto lead = static_cast<unsigned char>(character[0]);  // C3 80 is U+00C0, C9 BF U+027F
  return character.size() == 2 && 0xC3 <= lead && lead <= 0xC9 && character != "×" &&
         character != "÷";
}

/// A character as tokens spell it.
std::string small(std::string_view character) {
  if (character == "Ä") return "ä";
  if (character == "Ö") return "ö";
  if (character == "Ü") return "ü";
  if (character == "’") return "'";
  std::string result(character);
  if ('A' <= result[0] && result[0] <= 'Z') result[0] = static_cast<char>(result[0] - 'A' + 'a');
  return result;
}

/// Whether the mark between two characters holds them together in one word.
bool joins(std::string_view before, std::string_view mark, std::string_view after) {
  if (mark == "'" || mark == "-") return is_letter_or_digit(before) && is_letter_or_digit(after);
  return (mark == "." || mark == ",") && is_digit(before) && is_digit(after);
}

}  // namespace

std::vector<SentencePair> read_dictionary_sentences(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(path + ": no such file, its package may be missing: apt-get install trans-de-en");
  }
  const std::string text = read_text(path);
  std::vector<SentencePair> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  std::size_t entry = 0;
  for (std::string_view line : lines(text)) {
    ++entry;
    if (line.starts_with('#')) continue;
    const std::vector<std::string_view> sides = pieces(line, "::");
    if (sides.size() != 2) {
      throw Error(path + ": line " + std::to_string(entry) + ": " +
                  std::to_string(sides.size() - 1) +
                  " times \"::\", one between German and English was expected");
    }
    const auto german = pieces(sides[0], "|"), english = pieces(sides[1], "|");
    if (german.size() != english.size()) continue;
    for (std::size_t i = 0; i < german.size(); ++i) {
      SentencePair pair{sentence_of(german[i]), sentence_of(english[i]), entry};
      if (pair.german.empty() || pair.english.empty()) continue;
      if (seen.emplace(pair.german, pair.english).second) pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

SentenceParts split_by_entry(std::span<const SentencePair> pairs, std::uint64_t seed) {
  Groups groups(pairs.size());
  std::unordered_map<std::size_t, std::size_t> first_of_entry;
  std::unordered_map<std::string_view, std::size_t> first_of_sentence;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    groups.unite(i, first_of_entry.emplace(pairs[i].entry, i).first->second);
    groups.unite(i, first_of_sentence.emplace(pairs[i].german, i).first->second);
    groups.unite(i, first_of_sentence.emplace(pairs[i].english, i).first->second);
  }
  std::vector<std::string_view> name(pairs.size());  // of each group, at its number
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    std::string_view& least = name[groups.of(i)];
    if (least.empty() || pairs[i].german < least) least = pairs[i].german;
  }
  const Random random = Random{seed}.child("dictionary sentences");
  SentenceParts parts;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double draw = random.child(name[groups.of(i)]).uniform(0);
    auto& part = draw < 0.90 ? parts.training : draw < 0.95 ? parts.validation : parts.test;
    part.push_back(pairs[i]);
  }
  return parts;
}

std::vector<std::string> tokens(std::string_view sentence) {
  std::vector<std::string> spelled;
  for (std::string_view character : characters(sentence)) spelled.push_back(small(character));
  std::vector<std::string> result;
  bool goes_on = false;  // whether a letter or digit would go on with the last token
  for (std::size_t i = 0; i < spelled.size(); ++i) {
    const bool inside =
        is_letter_or_digit(spelled[i]) ||
        (goes_on && i + 1 < spelled.size() && joins(spelled[i - 1], spelled[i], spelled[i + 1]));
    const bool blank = spelled[i] == " " || spelled[i] == "\t" || spelled[i] == "\n";
    if (inside && goes_on) {
      result.back() += spelled[i];
    } else if (!blank) {
      result.push_back(spelled[i]);
    }
    goes_on = inside;
  }
  return result;
}

}  // namespace hindsight
