// Words as numbers: the parts, the pairs, and the baseline that says letter by letter.
#include "models/spoken_words.hpp"

#include <catch2/catch_test_macros.hpp>

#include "tests/error_text.hpp"

using namespace hindsight;

namespace {

using Sequences = std::vector<std::vector<int>>;

}  // namespace

TEST_CASE("a word is once among the pairs for each of its pronunciations") {
  const SpokenWords words{{{3, 4}, {5}}, {{{6}, {7, 8}}, {{9}}}};
  const auto [letters, phonemes] = words.pairs();
  CHECK(letters == Sequences{{3, 4}, {3, 4}, {5}});
  CHECK(phonemes == Sequences{{6}, {7, 8}, {9}});
  CHECK(words.with_letters(1, 2) == std::vector<std::size_t>{1});
  CHECK(words.with_letters(0, 9) == std::vector<std::size_t>{0, 1});
  CHECK(words.with_letters(2, 2).empty());
}

TEST_CASE("letter by letter: as spoken most often, by every pronunciation that is as long as its word") {
  const SpokenWords training{{{1, 2}, {1, 2}, {1, 2}, {1}}, {{{9, 9, 9}, {7, 8}}, {{9, 9, 9}, {7, 8}}, {{5, 6}}, {}}};
  CHECK(letter_by_letter(training, Sequences{{1, 2}, {2, 1, 1}, {}, {4, 1}}) == Sequences{{7, 8}, {8, 7, 7}, {}, {7}});
  CHECK(letter_by_letter({}, Sequences{{1}}) == Sequences{{}});
}

TEST_CASE("the dictionary's parts are encoded by the training part's letters and phonemes") {
  std::vector<Pronounced> words;
  for (char a = 'a'; a <= 'z'; ++a)
    for (char b = 'a'; b <= 'z'; ++b) words.push_back({std::string{a, b}, {{{static_cast<char>(a - 'a' + 'A')}, "X"}}});
  const SpokenWordData data = SpokenWordData::of(words);
  CHECK(data.training.size() + data.validation.size() + data.test.size() == words.size());
  CHECK(data.letters.size() == 3 + 26);
  CHECK(data.phonemes.size() == 3 + 26);  // A to Z, of which X is one
  CHECK(data.letters.id(Special::pad) == 0);
  CHECK(data.training.letters[0].size() == 2);
  CHECK(data.phonemes.spelling(data.training.spoken[0][0][1]) == "X");
}

TEST_CASE("a letter that the training part lacks is named with its word") {
  std::vector<Pronounced> words;
  for (char a = 'a'; a <= 'z'; ++a) words.push_back({std::string(1, a), {{"A"}}});  // each letter in one word only
  CHECK(says(error_text([&] { SpokenWordData::of(words); }), {"the word \"", "has no token"}));
}
