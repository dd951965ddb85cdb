// Tokens and their ids: order, specials, unknown tokens, odd tokens through a file.

#include "models/vocabulary.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <fstream>

#include "autodiff/error.hpp"
#include "models/text.hpp"
#include "tests/temporary_directory.hpp"

using namespace hindsight;
using namespace std::literals;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::MessageMatches;
using Ids = std::vector<int>;
using Tokens = std::vector<std::string>;

namespace {

/// The spellings of all ids in order.
Tokens spellings(const Vocabulary& vocabulary) {
  Tokens tokens;
  for (std::size_t id = 0; id < vocabulary.size(); ++id) {
    tokens.emplace_back(vocabulary.spelling(static_cast<int>(id)));
  }
  return tokens;
}

TokenCounts counts_of_characters(std::string_view text) {
  TokenCounts counts;
  counts.add_all(characters(text));
  return counts;
}

}  // namespace

TEST_CASE("The most frequent token comes first, ties go by bytes") {
  const TokenCounts counts = counts_of_characters("banana\u00E9z");  // a 3, n 2, then b, z, e acute
  CHECK(spellings(counts.vocabulary()) == Tokens{"a", "n", "b", "z", "\u00E9"});
  CHECK(spellings(counts.vocabulary({}, {.minimum_count = 2})) == Tokens{"a", "n"});
  CHECK(spellings(counts.vocabulary({}, {.maximum_tokens = 3})) == Tokens{"a", "n", "b"});
  CHECK(spellings(counts.vocabulary({}, {.maximum_tokens = 0})).empty());
  CHECK(spellings(counts.vocabulary({Special::pad, Special::unk}, {.maximum_tokens = 1})) ==
        Tokens{"<pad>", "<unk>", "a"});
}

TEST_CASE("Characters and words are encoded and decoded") {
  const std::string text = "to be or not to be";
  TokenCounts word_counts;
  word_counts.add_all(words(text));
  const Vocabulary vocabulary = word_counts.vocabulary();  // be 2, to 2, not, or
  CHECK(vocabulary.encode(words(text)) == Ids{1, 0, 3, 2, 1, 0});
  CHECK(vocabulary.decode(Ids{1, 0, 3, 2, 1, 0}, " ") == text);
  CHECK(vocabulary.encode(Tokens{}).empty());
  CHECK(vocabulary.decode({}).empty());

  const Vocabulary letters = counts_of_characters(text).vocabulary();
  CHECK(letters.decode(letters.encode(characters(text))) == text);
}

TEST_CASE("Unknown tokens get <unk>'s id, or an error that names them") {
  const Vocabulary with({"a", "b"}, {Special::unk});
  CHECK(with.encode(characters("a?b")) == Ids{1, 0, 2});
  CHECK_FALSE(with.contains("?"));
  const Vocabulary without({"a", "b"});
  CHECK_THROWS_MATCHES(without.id("\r"), Error, MessageMatches(ContainsSubstring("\"\\r\"")));
}

TEST_CASE("No text spells a special") {
  const Vocabulary vocabulary({"<unk>", "<eos>"}, {Special::eos, Special::unk});
  CHECK(vocabulary.id(Special::eos) == 0);
  CHECK(vocabulary.id(Special::unk) == 1);
  CHECK(vocabulary.id("<unk>") == 2);
  CHECK(vocabulary.id("<eos>") == 3);
  CHECK(vocabulary.id("<pad>") == 1);
  CHECK(vocabulary.decode(Ids{0, 1, 2}) == "<eos><unk><unk>");
  CHECK(vocabulary.contains(Special::eos));
  CHECK_FALSE(vocabulary.contains(Special::bos));
  CHECK_THROWS_MATCHES(vocabulary.id(Special::bos), Error,
                       MessageMatches(ContainsSubstring("without <bos>")));
}

TEST_CASE("Ids outside the vocabulary are errors") {
  const Vocabulary vocabulary({"a"}, {Special::unk});
  CHECK(vocabulary.spelling(1) == "a");
  CHECK_THROWS_AS(vocabulary.spelling(-1), Error);
  CHECK_THROWS_MATCHES(vocabulary.spelling(2), Error,
                       MessageMatches(ContainsSubstring("id 2 is not in a vocabulary of 2")));
  CHECK_THROWS_AS(vocabulary.decode(Ids{0, 7}), Error);
}

TEST_CASE("Two spellings of one word are two tokens") {
  TokenCounts counts;
  counts.add("\u00E9");
  counts.add("e\u0301");
  CHECK(counts.vocabulary().size() == 2);
}

TEST_CASE("Tokens and specials are given once, in UTF-8") {
  CHECK_THROWS_MATCHES(Vocabulary({"a", "b", "a"}), Error,
                       MessageMatches(ContainsSubstring("\"a\" is given twice")));
  CHECK_THROWS_AS(Vocabulary({}, {Special::pad, Special::pad}), Error);
  CHECK_THROWS_AS(Vocabulary({"a\xFF"}), Error);
}

TEST_CASE("Odd tokens keep their ids through a file") {
  const Tokens odd = {"\r", "a\r",    "x\n",     "",  " ",  "\t",         "\uFEFF", "\u2028",
                      "\"", "\\r\\n", "\0"s,     "a", "\n", "\U0001F600", "\u0085", "<unk>",
                      "[]", "{",      "\uFEFFa", "x", "'",  "\x7F"};
  const Vocabulary vocabulary(odd, {Special::bos, Special::unk, Special::eos, Special::pad});
  const TemporaryDirectory directory;
  vocabulary.save(directory.file("v.json"));
  const Vocabulary loaded = Vocabulary::load(directory.file("v.json"));
  CHECK(loaded == vocabulary);
  REQUIRE(loaded.size() == odd.size() + 4);
  for (std::size_t i = 0; i < odd.size(); ++i) {
    CHECK(loaded.id(odd[i]) == static_cast<int>(i + 4));
    CHECK(loaded.spelling(static_cast<int>(i + 4)) == odd[i]);
  }
  CHECK(loaded.id(Special::pad) == 3);
}

TEST_CASE("A file that is no vocabulary is an error with its name") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("v.json");
  for (const std::string& bad :
       {""s, "["s, "7"s, "[]"s, "{}"s, R"({"specials": [], "tokens": "a"})"s,
        R"({"specials": [], "tokens": ["a", 1]})"s, R"({"specials": [], "tokens": ["a", "a"]})"s,
        R"({"specials": ["cls"], "tokens": []})"s, R"({"specials": ["pad", "pad"], "tokens": []})"s,
        R"({"specials": [], "tokens": [["a"]]})"s, R"({"specials": [], "tokens": ["\ud800"]})"s,
        R"({"specials": [], "tokens": [], "tokens": ["a"]})"s,
        "{\"specials\": [], \"tokens\": [\"\xFF\"]}"s, R"({"specials": [], "tokens": []} x)"s,
        "{\"specials\": [], \"tokens\": []}\0"s, std::string(100000, '[')}) {
    CAPTURE(bad.substr(0, 80));
    std::ofstream(path, std::ios::binary) << bad;
    CHECK_THROWS_MATCHES(Vocabulary::load(path), Error,
                         MessageMatches(ContainsSubstring("v.json: ")));
  }
  CHECK_THROWS_AS(Vocabulary::load(directory.file("none")), Error);
  CHECK(Vocabulary::from_json(R"({"specials": [], "tokens": []})", "here").size() == 0);
}
