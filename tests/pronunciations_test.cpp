// The pronouncing dictionary: reading it, and the parts its words fall into.

#include "models/pronunciations.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "autodiff/error.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::MessageMatches;

namespace {

/// What `read_pronunciations` makes of a file with this text.
Pronunciations read_as_file(const std::string& text) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("words.dict");
  std::ofstream(path, std::ios::binary) << text;
  return read_pronunciations(path);
}

/// The part of each word: 0, 1 or 2. A word in two parts fails.
std::map<std::string, int> part_of_each(const PronouncedParts& parts) {
  std::map<std::string, int> result;
  int part = 0;
  for (const auto* words : {&parts.training, &parts.validation, &parts.test}) {
    for (const Pronounced& word : *words) {
      if (!result.emplace(word.word, part).second) FAIL(word.word << " is there twice");
    }
    ++part;
  }
  return result;
}

/// n words: wa, wb, ..., wj, wba, wbb, ...: their numbers with letters for digits.
std::vector<Pronounced> made_up_words(int n) {
  std::vector<Pronounced> words;
  for (int i = 0; i < n; ++i) {
    std::string word = std::to_string(i);
    for (char& c : word) c = static_cast<char>(c - '0' + 'a');
    words.push_back({"w" + word, {{"W"}}});
  }
  return words;
}

bool dictionary_is_there() { return std::filesystem::exists(pronouncing_dictionary_path); }

}  // namespace

TEST_CASE("Pronunciations of a word come together, words in the order of their spelling") {
  const Pronunciations read = read_as_file(
      "'bout B AW T\n"
      "read R EH D\n"
      "read(2) R IY D\n"
      "a\tAH\n"
      "one's W AH N Z\r\n"
      "a(2)  EY\n"
      "a(3) AA");
  CHECK(read.words == std::vector<Pronounced>{{"'bout", {{"B", "AW", "T"}}},
                                              {"a", {{"AH"}, {"EY"}, {"AA"}}},
                                              {"one's", {{"W", "AH", "N", "Z"}}},
                                              {"read", {{"R", "EH", "D"}, {"R", "IY", "D"}}}});
  CHECK(read.left_out == 0);
}

TEST_CASE("Words become lower case; those with other characters are left out and counted") {
  const Pronunciations read = read_as_file(
      "Abbey AE B IY\n"
      "a.m. EY EH M\n"
      "al. AE L\n"
      "al.(2) AE L AH\n"
      "ad-lib AE D L IH B\n"
      "x2 EH K S T UW\n"
      "caf\u00E9 K AH F EY\n");
  CHECK(read.words == std::vector<Pronounced>{{"abbey", {{"AE", "B", "IY"}}}});
  CHECK(read.left_out == 5);
}

TEST_CASE("A malformed line is named with its number") {
  struct Case {
    std::string line, message;
  };
  const Case cases[] = {
      {"", "\"\", a word and its phonemes were expected"},
      {"abbey", "\"abbey\", a word and its phonemes were expected"},
      {"(2) EY", "\"(2) EY\", a word and its phonemes were expected"},
      {"a EY", "the word \"a\", \"a(2)\" was expected"},  // written twice
      {"A EY", "the word \"a\", \"a(2)\" was expected"},
      {"a(3) EY", "the word \"a(3)\", \"a(2)\" was expected"},
      {"a(2 EY", "the word \"a(2\", \"a(2)\" was expected"},
      {"a(2)x EY", "the word \"a(2)x\", \"a(2)\" was expected"},
      {"b(2) B", "the word \"b(2)\", \"b\" was expected"},
      {"b(1) B", "the word \"b(1)\", \"b\" was expected"},
      {"abbey AE1 B IY0", "the phoneme \"AE1\", capital letters were expected"},
      {"abbey AE b IY", "the phoneme \"b\", capital letters were expected"},
  };
  for (const Case& c : cases) {
    CHECK_THROWS_MATCHES(read_as_file("a AH\n" + c.line + "\nz Z IY\n"), Error,
                         MessageMatches(EndsWith("words.dict: line 2: " + c.message)));
  }
}

TEST_CASE("A missing pronouncing dictionary names its package, an unreadable one says why") {
  const TemporaryDirectory directory;
  CHECK_THROWS_MATCHES(read_pronunciations(directory.file("none")), Error,
                       MessageMatches(ContainsSubstring("/none: ") &&
                                      EndsWith("apt-get install pocketsphinx-en-us")));
  CHECK_THROWS_MATCHES(read_pronunciations(directory.file("")), Error,
                       MessageMatches(EndsWith("Is a directory")));
  CHECK_THROWS_MATCHES(read_as_file(""), Error, MessageMatches(ContainsSubstring("is empty")));
  CHECK_THROWS_MATCHES(read_as_file("a AH\n\xFF"), Error,
                       MessageMatches(ContainsSubstring("line 2, byte offset 5")));
}

TEST_CASE("The parts of a dictionary hold 90, 5 and 5 per cent, each word once") {
  const std::vector<Pronounced> words = made_up_words(20000);
  const PronouncedParts parts = split(words);
  CHECK(part_of_each(parts).size() == words.size());
  // Binomial counts; the bounds are five standard deviations: 5 sqrt(20000 0.9 0.1) = 212, and 154.
  CHECK(std::abs(static_cast<double>(parts.training.size()) - 18000) < 212);
  CHECK(std::abs(static_cast<double>(parts.validation.size()) - 1000) < 154);
  CHECK(std::abs(static_cast<double>(parts.test.size()) - 1000) < 154);
}

TEST_CASE("A word's part depends on neither the other words nor their order") {
  std::vector<Pronounced> words = made_up_words(2000);
  const std::map<std::string, int> all = part_of_each(split(words));
  std::reverse(words.begin(), words.end());
  CHECK(part_of_each(split(words)) == all);
  for (const Pronounced& word : words) {
    const std::map<std::string, int> alone = part_of_each(split(std::span(&word, 1)));
    REQUIRE(alone.at(word.word) == all.at(word.word));
  }
  const PronouncedParts parts = split(words);
  CHECK(parts.test.front().phonemes == words.front().phonemes);
}

TEST_CASE("Another seed makes other parts, and one seed the same for good") {
  const std::vector<Pronounced> words = made_up_words(2000);
  CHECK(part_of_each(split(words, 0)) == part_of_each(split(words)));
  CHECK(part_of_each(split(words, 1)) != part_of_each(split(words)));
  // Were they to change, a net trained before would be judged by words it has seen.
  const std::vector<Pronounced> some = {{"airway", {}}, {"midnight", {}}, {"ramps", {}}};
  const std::map<std::string, int> parts = part_of_each(split(some));
  CHECK(parts.at("airway") == 0);
  CHECK(parts.at("midnight") == 1);
  CHECK(parts.at("ramps") == 2);
}

TEST_CASE("The dictionary of pocketsphinx-en-us is whole") {
  if (!dictionary_is_there()) SKIP("pocketsphinx-en-us is not installed");
  const Pronunciations read = read_pronunciations();
  CHECK(read.words.size() > 120000);
  CHECK(read.words.size() < 130000);
  CHECK(read.left_out > 1000);
  CHECK(read.left_out < 1300);
  CHECK(std::is_sorted(read.words.begin(), read.words.end(),
                       [](const auto& a, const auto& b) { return a.word < b.word; }));

  std::set<std::string> phonemes;
  std::size_t pronunciations = 0, ambiguous = 0, empty = 0, repeated = 0;
  for (const Pronounced& word : read.words) {
    pronunciations += word.phonemes.size();
    ambiguous += word.phonemes.size() > 1;
    repeated += std::set(word.phonemes.begin(), word.phonemes.end()).size() < word.phonemes.size();
    for (const auto& pronunciation : word.phonemes) {
      empty += pronunciation.empty();
      phonemes.insert(pronunciation.begin(), pronunciation.end());
    }
    if (word.word.find_first_not_of("abcdefghijklmnopqrstuvwxyz'") != std::string::npos) {
      FAIL(word.word);
    }
  }
  CHECK(phonemes.size() == 39);
  CHECK(ambiguous > 8000);
  CHECK(pronunciations > read.words.size() + 8000);
  CHECK(empty == 0);
  CHECK(repeated == 0);

  const auto found =
      std::lower_bound(read.words.begin(), read.words.end(), "read",
                       [](const Pronounced& a, const std::string& b) { return a.word < b; });
  REQUIRE(found != read.words.end());
  CHECK(*found == Pronounced{"read", {{"R", "EH", "D"}, {"R", "IY", "D"}}});

  const PronouncedParts parts = split(read.words);
  CHECK(part_of_each(parts).size() == read.words.size());
  const double n = static_cast<double>(read.words.size());
  CHECK(std::abs(static_cast<double>(parts.training.size()) / n - 0.90) < 0.005);
  CHECK(std::abs(static_cast<double>(parts.validation.size()) / n - 0.05) < 0.005);
}
