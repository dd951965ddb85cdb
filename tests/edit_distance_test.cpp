// Edit distances, error rates over several references, accuracies.

#include "models/edit_distance.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <string>
#include <string_view>

#include "autodiff/random.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;
using Catch::Approx;
using Ids = std::vector<int>;
using Corpus = std::vector<Ids>;
using References = std::vector<std::vector<Ids>>;

namespace {

Ids ids(std::string_view text) { return Ids(text.begin(), text.end()); }

std::size_t distance(std::string_view a, std::string_view b) { return edit_distance(ids(a), ids(b)); }

/// The definition, read from the ends.
std::size_t by_recursion(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return std::max(a.size(), b.size());
  const std::string_view c = a.substr(1), d = b.substr(1);
  if (a[0] == b[0]) return by_recursion(c, d);
  return 1 + std::min({by_recursion(c, b), by_recursion(a, d), by_recursion(c, d)});
}

std::string random_text(const Random& random, std::size_t longest) {
  std::string text;
  for (std::size_t i = 1; i <= random.below(longest + 1, 0); ++i) text += static_cast<char>('a' + random.below(3, i));
  return text;
}

}  // namespace

TEST_CASE("edit distances by hand") {
  CHECK(distance("", "") == 0);
  CHECK(distance("", "abc") == 3);
  CHECK(distance("abc", "") == 3);
  CHECK(distance("abc", "abc") == 0);
  CHECK(distance("abc", "axc") == 1);         // substitution
  CHECK(distance("abc", "ac") == 1);          // deletion
  CHECK(distance("ac", "abc") == 1);          // insertion
  CHECK(distance("ab", "ba") == 2);           // a transposition is two edits
  CHECK(distance("kitten", "sitting") == 3);  // k/s, e/i, +g
  CHECK(distance("saturday", "sunday") == 3);
  CHECK(distance("abcd", "bcda") == 2);
}

TEST_CASE("edit distances are those of the definition, and a metric") {
  for (std::uint64_t i = 0; i < 300; ++i) {
    const std::string a = random_text(Random{i}.child("a"), 6), b = random_text(Random{i}.child("b"), 6),
                      c = random_text(Random{i}.child("c"), 6);
    CAPTURE(a, b, c);
    CHECK(distance(a, b) == by_recursion(a, b));
    CHECK(distance(a, b) == distance(b, a));
    CHECK(distance(a, c) <= distance(a, b) + distance(b, c));
  }
}

TEST_CASE("the error rate is over the corpus, not the mean of sentences") {
  const Corpus hypotheses{ids("kitten"), ids("a"), {}};
  const References references{{ids("sitting")}, {ids("a")}, {ids("bc")}};
  CHECK(error_rate(hypotheses, references) == Approx((3 + 0 + 2) / (7.0 + 1 + 2)));
  CHECK(error_rate(Corpus{ids("aaaa")}, References{{ids("b")}}) == 4);
}

TEST_CASE("the nearest reference is the one that counts, of equally near ones the shortest") {
  // "ab" is 1 away from "abc" and from "a"; 0 away from "ab".
  const Corpus two{ids("ab"), ids("xyz")};
  CHECK(error_rate(two, References{{ids("abc"), ids("a")}, {ids("xyz")}}) == Approx(1 / (1.0 + 3)));
  CHECK(error_rate(two, References{{ids("a"), ids("abc")}, {ids("xyz")}}) == Approx(1 / (1.0 + 3)));
  CHECK(error_rate(two, References{{ids("abcd"), ids("abc")}, {ids("xyz")}}) == Approx(1 / (3.0 + 3)));
  CHECK(error_rate(two, References{{ids("a"), ids("ab")}, {ids("w")}}) == Approx(3 / (2.0 + 1)));
  // Beside "abc" an empty reference is 2 away and not the nearest; alone it counts with its length 0.
  CHECK(error_rate(two, References{{{}, ids("abc")}, {ids("xyz")}}) == Approx(1 / (3.0 + 3)));
  CHECK(error_rate(two, References{{{}}, {ids("xyz")}}) == Approx(2 / (0.0 + 3)));
}

TEST_CASE("a word is right if it is one of its pronunciations") {
  const Corpus hypotheses{ids("a"), ids("b"), ids("cd"), {}};
  const References references{{ids("x"), ids("a")}, {ids("bb")}, {ids("c"), ids("d")}, {ids("e")}};
  CHECK(word_error_rate(hypotheses, references) == 0.75);
  CHECK(word_error_rate(Corpus{{}}, References{{{}}}) == 0);
}

TEST_CASE("accuracy counts the references' positions and whole sequences") {
  const Corpus hypotheses{{1, 2, 3}, {1, 2}, {4, 5, 6}, {8}, {}};
  const Corpus references{{1, 2, 3}, {1, 3, 2}, {4}, {7}, {7}};
  CHECK(token_accuracy(hypotheses, references) == Approx((3 + 1 + 1 + 0 + 0) / (3.0 + 3 + 1 + 1 + 1)));
  CHECK(sequence_accuracy(hypotheses, references) == 0.2);
  // A negative number is not counted, whatever stands there.
  CHECK(token_accuracy(Corpus{{1, 9, -1}}, Corpus{{1, -1, -1}}) == 1);
  CHECK(token_accuracy(Corpus{{1}}, Corpus{{-1}}) == 0);
  CHECK(token_accuracy(Corpus{}, Corpus{}) == 0);
  CHECK(sequence_accuracy(Corpus{}, Corpus{}) == 0);
  CHECK(sequence_accuracy(Corpus{{}}, Corpus{{}}) == 1);
}

TEST_CASE("a rate of nothing is an error, and so are unequal numbers") {
  const Corpus two{{1}, {2}}, one{{1}};
  const References one_list{{{1}}}, no_reference{{{1}}, {}};
  CHECK(says(error_text([&] { error_rate(two, one_list); }), {"error rate: 2 hypotheses and 1 references"}));
  CHECK(says(error_text([&] { word_error_rate(two, one_list); }), {"word error rate: 2 hypotheses and 1 references"}));
  CHECK(says(error_text([&] { token_accuracy(two, one); }), {"token accuracy: 2 hypotheses and 1 references"}));
  CHECK(says(error_text([&] { sequence_accuracy(one, two); }), {"sequence accuracy: 1 hypotheses and 2 references"}));
  CHECK(says(error_text([&] { error_rate(two, no_reference); }), {"error rate: sentence 1 has no reference"}));
  CHECK(says(error_text([&] { word_error_rate(two, no_reference); }), {"word error rate: sentence 1"}));
  CHECK(says(error_text([&] { error_rate(Corpus{}, References{}); }), {"hold no symbol"}));
  CHECK(says(error_text([&] { error_rate(one, References{{{}}}); }), {"hold no symbol"}));
  CHECK(says(error_text([&] { word_error_rate(Corpus{}, References{}); }), {"there are no words"}));
}
