// Sentence pairs out of a dictionary's examples: reading them, their parts, their tokens.

#include "models/dictionary_sentences.hpp"

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
using Pairs = std::vector<SentencePair>;
using Tokens = std::vector<std::string>;

namespace {

/// What `read_dictionary_sentences` makes of a file with this text.
Pairs read_as_file(const std::string& text) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("de-en");
  std::ofstream(path, std::ios::binary) << text;
  return read_dictionary_sentences(path);
}

/// The sentence that `german` is with "It is." for its translation, "" where there is no pair.
std::string german_of(const std::string& german) {
  const Pairs pairs = read_as_file(german + " :: It is.\n");
  return pairs.empty() ? "" : pairs.at(0).german;
}

/// The parts that a pair, an entry and a sentence fall into.
struct Places {
  std::map<std::pair<std::string, std::string>, std::set<int>> of_pair;
  std::map<std::size_t, std::set<int>> of_entry;
  std::map<std::string, std::set<int>> of_sentence;

  explicit Places(const SentenceParts& parts) {
    int part = 0;
    for (const Pairs* pairs : {&parts.training, &parts.validation, &parts.test}) {
      for (const SentencePair& pair : *pairs) {
        of_pair[{pair.german, pair.english}].insert(part);
        of_entry[pair.entry].insert(part);
        of_sentence[pair.german].insert(part);
        of_sentence[pair.english].insert(part);
      }
      ++part;
    }
  }
};

/// How many of a map's values are sets of more than one.
template <class Map>
std::size_t torn(const Map& parts) {
  return static_cast<std::size_t>(
      std::count_if(parts.begin(), parts.end(), [](const auto& p) { return p.second.size() > 1; }));
}

std::size_t size(const SentenceParts& parts) {
  return parts.training.size() + parts.validation.size() + parts.test.size();
}

/// Pairs of entries 1 to n, three an entry, with nothing in common between entries.
Pairs unlinked_pairs(std::size_t n) {
  Pairs pairs;
  for (std::size_t entry = 1; entry <= n; ++entry) {
    for (const char* place : {"a", "b", "c"}) {
      const std::string name = std::to_string(entry) + place;
      pairs.push_back({"Satz " + name + ".", "Sentence " + name + ".", entry});
    }
  }
  return pairs;
}

bool dictionary_is_there() { return std::filesystem::exists(german_english_dictionary_path); }

}  // namespace

TEST_CASE("Pairs are sentences at one place of both sides") {
  const Pairs pairs = read_as_file(
      "# Version :: devel\n"
      "# a comment\n"
      "hageln {vi} | hagelnd | Es hagelt. | Hagelt es? :: to hail | hailing | It is hailing. | "
      "Is it hailing?\n"
      "Hagel {m} :: hail\r\n"
      "Es hagelt! | Es schneit. :: It hails!\n"  // not as many on both sides
      "Es hagelt! :: It hails! | It snows.\n"
      "es regnet. | Es regnet. | Es regnet :: It rains. | it rains. | It rains.\n"
      "Ärzte kommen. :: Doctors come.\n"
      "Österreich siegt! :: Austria wins!\n"
      "Übt er? :: Does he practise?\n");
  CHECK(pairs == Pairs{{"Es hagelt.", "It is hailing.", 3},
                       {"Hagelt es?", "Is it hailing?", 3},
                       {"Ärzte kommen.", "Doctors come.", 8},
                       {"Österreich siegt!", "Austria wins!", 9},
                       {"Übt er?", "Does he practise?", 10}});
}

TEST_CASE("A sentence begins with a capital letter and ends with a mark") {
  for (const char* text : {"Es ist so.", "A!", "Z?", "Är.", "Ör.", "Ür."}) {
    CHECK(german_of(text) == text);
  }
  for (const char* text : {"", " ", "es ist.", "är.", "8 Uhr.", "„Ja.", "...", "Es ist so", "Ja:",
                           "Es ist so. Ja", "„Ja.“", "Écoute.", "{Ja.}"}) {
    CHECK(german_of(text) == "");
  }
}

TEST_CASE("Annotations are dropped, and blanks are put in order") {
  CHECK(german_of("Er (sie) {vt} geht [ugs.]  jetzt  [Ös.].") == "Er geht jetzt.");
  CHECK(german_of("Ja (doch), das {a [b (c; d)] e} ist (so) !") == "Ja, das ist!");
  CHECK(german_of("Haus(halt) (und Hof.") == "");
  CHECK(german_of("(Das) Ist er. [geh.] (Schluss)") == "Ist er.");
  CHECK(german_of("(Das) ist er.") == "");
  CHECK(german_of("Er geht. (und wie!)") == "Er geht.");
  CHECK(german_of("Er geht (und wie!)") == "");
  for (const char* text : {"Er) geht.", "Er geht. (so", "Er (so] geht.", "Er ([so)] geht."}) {
    CHECK(german_of(text) == "");
  }
  // A bar within brackets cuts them in two, and neither half is a sentence.
  CHECK(read_as_file("Er (so | da) geht. :: He | goes.\n").empty());
}

TEST_CASE("Of several variants the first is taken, be it a sentence or not") {
  CHECK(german_of("Er geht.; Er eilt.") == "Er geht.");
  CHECK(german_of("Er geht; Er eilt.") == "");
  CHECK(german_of("Er geht (zu Fuß; barfuß).; Er eilt.") == "Er geht.");
  CHECK(german_of("Er geht. [ugs.]; Er / sie eilt.") == "Er geht.");
}

TEST_CASE("Alternatives and placeholders leave a pair out, on either side") {
  for (const char* text :
       {"Er/sie geht.", "Er <kommt> geht.", "Er ~ geht.", "Er …?", "Er will etw. essen.",
        "Er hilft jdm. gern.", "Er sieht jdn.", "Er nimmt jds. Geld."}) {
    CHECK(german_of(text) == "");
  }
  for (const char* text : {"He/she goes.", "He asks sb. to go.", "He eats sth.", "He …?"}) {
    CHECK(read_as_file("Er geht. :: " + std::string(text) + "\n").empty());
  }
}

TEST_CASE("Each pair comes once, with the first of its entries") {
  CHECK(read_as_file("Ja! :: Yes!\nJa! | Ja! :: Yes! | Yeah!\n") ==
        Pairs{{"Ja!", "Yes!", 1}, {"Ja!", "Yeah!", 2}});
}

TEST_CASE("A line without two sides is named with its number") {
  const auto message = [](const std::string& times) {
    return MessageMatches(EndsWith("de-en: line 3: " + times +
                                   " times \"::\", one between German and English was expected"));
  };
  CHECK_THROWS_MATCHES(read_as_file("# c\nJa :: yes\nNein\n"), Error, message("0"));
  CHECK_THROWS_MATCHES(read_as_file("# c\nJa :: yes\n\nNein :: no\n"), Error, message("0"));
  CHECK_THROWS_MATCHES(read_as_file("# c\nJa :: yes\na :: b :: c\n"), Error, message("2"));
}

TEST_CASE("A missing German-English dictionary names its package, an unreadable one says why") {
  const TemporaryDirectory directory;
  CHECK_THROWS_MATCHES(
      read_dictionary_sentences(directory.file("none")), Error,
      MessageMatches(ContainsSubstring("/none: ") && EndsWith("apt-get install trans-de-en")));
  CHECK_THROWS_MATCHES(read_dictionary_sentences(directory.file("")), Error,
                       MessageMatches(EndsWith("Is a directory")));
  CHECK_THROWS_MATCHES(read_as_file(""), Error, MessageMatches(ContainsSubstring("is empty")));
  CHECK_THROWS_MATCHES(read_as_file("Ja :: yes\n\xC4rzte :: doctors\n"), Error,
                       MessageMatches(ContainsSubstring("line 2, byte offset 10")));
}

TEST_CASE("The parts hold 90, 5 and 5 per cent of the entries, each entry whole") {
  const Pairs pairs = unlinked_pairs(10000);
  const SentenceParts parts = split_by_entry(pairs);
  const Places places(parts);
  CHECK(size(parts) == pairs.size());
  CHECK(places.of_pair.size() == pairs.size());
  CHECK(torn(places.of_entry) == 0);
  // Of 10000 entries; the bounds are five standard deviations: 5 sqrt(10000 0.9 0.1) = 150, and 109.
  CHECK(std::abs(static_cast<double>(parts.training.size()) / 3 - 9000) < 150);
  CHECK(std::abs(static_cast<double>(parts.validation.size()) / 3 - 500) < 109);
  CHECK(std::abs(static_cast<double>(parts.test.size()) / 3 - 500) < 109);
  CHECK(Places(split_by_entry(pairs, 0)).of_pair == places.of_pair);
  CHECK(Places(split_by_entry(pairs, 1)).of_pair != places.of_pair);
}

TEST_CASE("A group's part depends on neither other groups, nor the order, nor line numbers") {
  Pairs pairs = unlinked_pairs(1000);
  const auto all = Places(split_by_entry(pairs)).of_pair;
  std::reverse(pairs.begin(), pairs.end());
  for (SentencePair& pair : pairs) pair.entry = 5000 - pair.entry;
  CHECK(Places(split_by_entry(pairs)).of_pair == all);
  for (std::size_t i = 0; i < pairs.size(); i += 3) {  // each entry alone
    for (const auto& [pair, part] : Places(split_by_entry(std::span(pairs).subspan(i, 3))).of_pair) {
      REQUIRE(part == all.at(pair));
    }
  }
}

TEST_CASE("Entries with a sentence in common, in whichever language, stay together") {
  // 300 chains of four entries: 1 and 2 share a German sentence, 2 and 3 an English one, and 4's
  // German sentence is 3's English one, as "Amen!" can be.
  Pairs pairs;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string n = std::to_string(i);
    const std::size_t entry = 10 * i;
    pairs.push_back({"Z" + n, "z" + n, entry + 1});
    pairs.push_back({"A" + n, "a" + n, entry + 1});
    pairs.push_back({"A" + n, "b" + n, entry + 2});
    pairs.push_back({"Y" + n, "c" + n, entry + 2});
    pairs.push_back({"B" + n, "c" + n, entry + 3});
    pairs.push_back({"C" + n, "Amen" + n, entry + 3});
    pairs.push_back({"Amen" + n, "d" + n, entry + 4});
  }
  // The links come in any order.
  std::rotate(pairs.begin(), pairs.begin() + 5, pairs.end());
  const SentenceParts parts = split_by_entry(pairs);
  CHECK(size(parts) == pairs.size());
  const Places places(parts);
  CHECK(torn(places.of_entry) == 0);
  CHECK(torn(places.of_sentence) == 0);
  std::map<std::size_t, std::set<int>> of_chain;
  for (const auto& [entry, part] : places.of_entry) {
    of_chain[entry / 10].insert(part.begin(), part.end());
  }
  CHECK(of_chain.size() == 300);
  CHECK(torn(of_chain) == 0);
  CHECK(parts.validation.size() > 0);
  CHECK(parts.test.size() > 0);
}

TEST_CASE("Tokens are words and marks in small letters") {
  CHECK(tokens("").empty());
  CHECK(tokens(" \t\n").empty());
  CHECK(tokens("Wie geht’s, Ärzte?") == Tokens{"wie", "geht's", ",", "ärzte", "?"});
  CHECK(tokens("ÄÖÜ äöü ß ÉÀ é") == Tokens{"äöü", "äöü", "ß", "ÉÀ", "é"});
  CHECK(tokens("don't don’t 'so' ’tis dogs'") ==
        Tokens{"don't", "don't", "'", "so", "'", "'", "tis", "dogs", "'"});
  CHECK(tokens("Sommer- und well-known -x a--b") ==
        Tokens{"sommer", "-", "und", "well-known", "-", "x", "a", "-", "-", "b"});
  CHECK(tokens("10.000, 0,5% 3:1 z.B. 5. 7.a") ==
        Tokens{"10.000", ",", "0,5", "%", "3", ":", "1", "z", ".", "b", ".", "5", ".", "7", ".", "a"});
  CHECK(tokens("„Ja“–5½° 2×3÷1 €5") ==
        Tokens{"„", "ja", "“", "–", "5", "½", "°", "2", "×", "3", "÷", "1", "€", "5"});
  CHECK(tokens("...") == Tokens{".", ".", "."});
  CHECK_THROWS_AS(tokens("a\xC3"), Error);
}

TEST_CASE("The sentences of trans-de-en are many, clean, and fall into parts cleanly") {
  if (!dictionary_is_there()) SKIP("trans-de-en is not installed");
  const Pairs pairs = read_dictionary_sentences();
  CHECK(pairs.size() > 15000);
  CHECK(pairs.size() < 22000);
  CHECK(std::find_if(pairs.begin(), pairs.end(), [](const SentencePair& pair) {
          return pair.german == "Es hagelt." && pair.english == "It is hailing.";
        }) != pairs.end());
  std::size_t unclean = 0, unsteady = 0, changed = 0;
  for (const SentencePair& pair : pairs) {
    for (const std::string& sentence : {pair.german, pair.english}) {
      unclean += sentence.find_first_of("()[]{}|/<>~;") != std::string::npos ||
                 sentence.find("  ") != std::string::npos;
      // Tokens of tokens are the same tokens; and nothing but case, blanks and ’ is changed.
      std::string spaced, joined;
      for (const std::string& token : tokens(sentence)) {
        spaced += token + " ";
        joined += token;
      }
      unsteady += tokens(spaced) != tokens(sentence);
      std::size_t letters = 0, kept = 0;
      for (const char c : sentence) letters += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      for (const char c : joined) kept += c >= 'a' && c <= 'z';
      changed += letters != kept;
    }
  }
  CHECK(unclean == 0);
  CHECK(unsteady == 0);
  CHECK(changed == 0);

  const SentenceParts parts = split_by_entry(pairs);
  const Places places(parts);
  CHECK(size(parts) == pairs.size());
  CHECK(places.of_pair.size() == pairs.size());
  CHECK(torn(places.of_pair) == 0);
  CHECK(torn(places.of_entry) == 0);
  CHECK(torn(places.of_sentence) == 0);
  const double n = static_cast<double>(pairs.size());
  CHECK(std::abs(static_cast<double>(parts.training.size()) / n - 0.90) < 0.02);
  CHECK(std::abs(static_cast<double>(parts.validation.size()) / n - 0.05) < 0.02);
  CHECK(std::abs(static_cast<double>(parts.test.size()) / n - 0.05) < 0.02);
}
