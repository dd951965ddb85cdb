#include "models/pronunciations.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "autodiff/error.hpp"
#include "autodiff/random.hpp"
#include "models/text.hpp"

namespace hindsight {
namespace {

bool is_phoneme(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return 'A' <= c && c <= 'Z'; });
}

bool is_plain(std::string_view word) {
  return std::all_of(word.begin(), word.end(),
                     [](char c) { return ('a' <= c && c <= 'z') || c == '\''; });
}

/// Capital A to Z as small letters, all else as it is.
std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if ('A' <= c && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

/// Every word of the dictionary, whatever it is spelled with.
using Dictionary = std::map<std::string, std::vector<std::vector<std::string>>>;

/// Adds one line of the file; `where` names it.
void add_line(Dictionary& dictionary, std::string_view line, const std::string& where) {
  const std::vector<std::string_view> pieces = words(line);
  const std::string head = pieces.empty() ? "" : lower_case(pieces.front());
  const std::string word = head.substr(0, head.find('('));
  if (word.empty() || pieces.size() < 2) {
    throw Error(where + ": \"" + std::string(line) + "\", a word and its phonemes were expected");
  }
  auto& pronunciations = dictionary[word];
  const std::size_t number = pronunciations.size() + 1;
  const std::string expected = number == 1 ? word : word + "(" + std::to_string(number) + ")";
  if (head != expected) {
    throw Error(where + ": the word \"" + head + "\", \"" + expected + "\" was expected");
  }
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    if (!is_phoneme(pieces[i])) {
      throw Error(where + ": the phoneme \"" + std::string(pieces[i]) +
                  "\", capital letters were expected");
    }
  }
  pronunciations.emplace_back(pieces.begin() + 1, pieces.end());
}

}  // namespace

Pronunciations read_pronunciations(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(path +
                ": no such file, its package may be missing: apt-get install pocketsphinx-en-us");
  }
  const std::string text = read_text(path);
  Dictionary dictionary;
  std::size_t number = 0;
  for (std::string_view line : lines(text)) {
    add_line(dictionary, line, path + ": line " + std::to_string(++number));
  }
  Pronunciations result;
  for (auto& [word, phonemes] : dictionary) {
    if (is_plain(word)) {
      result.words.push_back({word, std::move(phonemes)});
    } else {
      ++result.left_out;
    }
  }
  return result;
}

PronouncedParts split(std::span<const Pronounced> words, std::uint64_t seed) {
  const Random random = Random{seed}.child("pronunciations");
  PronouncedParts parts;
  for (const Pronounced& word : words) {
    const double draw = random.child(word.word).uniform(0);
    auto& part = draw < 0.90 ? parts.training : draw < 0.95 ? parts.validation : parts.test;
    part.push_back(word);
  }
  return parts;
}

}  // namespace hindsight
