// BLEU of small corpora whose n-grams were counted by hand: each test names the counts, and works the
// score out from them by the formula.

#include "models/bleu.hpp"

#include <algorithm>
#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "autodiff/random.hpp"
#include "models/text.hpp"
#include "tests/error_text.hpp"

using namespace hindsight;
using Catch::Approx;
using Counts = std::vector<std::size_t>;
using Tokens = std::vector<std::string>;
using Texts = std::vector<std::string>;

namespace {

constexpr Smoothing every_smoothing[] = {Smoothing::none, Smoothing::exp, Smoothing::floor, Smoothing::add_k};

Tokens tokens(const std::string& text) {
  const auto pieces = words(text);
  return Tokens(pieces.begin(), pieces.end());
}

/// BLEU of texts cut at blanks.
Bleu bleu_of(const Texts& hypotheses, const std::vector<Texts>& references, const BleuOptions& options = {}) {
  std::vector<Tokens> found;
  std::vector<std::vector<Tokens>> expected;
  for (const std::string& text : hypotheses) found.push_back(tokens(text));
  for (const Texts& list : references) {
    expected.emplace_back();
    for (const std::string& text : list) expected.back().push_back(tokens(text));
  }
  return bleu(found, expected, options);
}

Bleu bleu_of(const std::string& hypothesis, const Texts& references, const BleuOptions& options = {}) {
  return bleu_of(Texts{hypothesis}, std::vector<Texts>{references}, options);
}

/// 100 times the geometric mean.
double hundred_mean(std::vector<double> precisions) {
  double product = 1;
  for (const double p : precisions) product *= p;
  return 100 * std::pow(product, 1.0 / static_cast<double>(precisions.size()));
}

bool counted(const Bleu& result, const Counts& matches, const Counts& totals, std::size_t c, std::size_t r) {
  return result.matches == matches && result.totals == totals && result.hypothesis_length == c &&
         result.reference_length == r;
}

}  // namespace

TEST_CASE("the examples of Papineni et al.") {
  const Texts references{"it is a guide to action that ensures that the military will forever heed party commands",
                         "it is the guiding principle which guarantees the military forces always being under the "
                         "command of the party",
                         "it is the practical guide for the army always to heed the directions of the party"};
  const Bleu first = bleu_of(
      "it is a guide to action which ensures that the military always obeys the commands of the party", references);
  CHECK(counted(first, {17, 10, 7, 4}, {18, 17, 16, 15}, 18, 18));
  CHECK(first.score == Approx(hundred_mean({17 / 18.0, 10 / 17.0, 7 / 16.0, 4 / 15.0})));
  CHECK(first.precisions[1] == Approx(100 * 10 / 17.0));
  const Bleu second =
      bleu_of("it is to insure the troops forever hearing the activity guidebook that party direct", references);
  CHECK(counted(second, {8, 1, 0, 0}, {14, 13, 12, 11}, 14, 16));
  CHECK(second.score == 0);
  const Bleu the = bleu_of("the the the the the the the", {"the cat is on the mat", "there is a cat on the mat"});
  CHECK(counted(the, {2, 0, 0, 0}, {7, 6, 5, 4}, 7, 7));
  CHECK(the.precisions[0] == Approx(100 * 2 / 7.0));
}

TEST_CASE("a word matches as often as in the one reference that has it most often") {
  const Bleu result = bleu_of("a a a a a", {"a b a c", "b a d"}, {.order = 1});  // not 2 + 1 times
  CHECK(counted(result, {2}, {5}, 5, 4));
  CHECK(result.score == Approx(100 * 2 / 5.0));
  // "a b" stands twice in the first, "b a" once in each: {a 2, b 2} and {ab 2, ba 1}.
  const Bleu pairs = bleu_of("a b a b a b", {"a b a b", "b a c"}, {.order = 2});
  CHECK(counted(pairs, {4, 3}, {6, 5}, 6, 4));
  CHECK(pairs.score == Approx(hundred_mean({4 / 6.0, 3 / 5.0})));
}

TEST_CASE("each order may match in another reference") {
  const Bleu result = bleu_of("a b c d", {"a b x x", "y c d"}, {.order = 3});
  CHECK(counted(result, {4, 2, 0}, {4, 3, 2}, 4, 4));
  CHECK(result.score == 0);
  CHECK(bleu_of("a b c d", {"a b x x", "y c d"}, {.order = 2}).score == Approx(hundred_mean({4 / 4.0, 2 / 3.0})));
}

TEST_CASE("no match scores 0, however it is smoothed") {
  for (const Smoothing smoothing : every_smoothing)
    for (const bool effective : {false, true}) {
      const Bleu result = bleu_of("p", {"q"}, {.smoothing = smoothing, .effective_order = effective});
      CHECK(counted(result, {0, 0, 0, 0}, {1, 0, 0, 0}, 1, 1));
      CHECK(result.score == 0);
      CHECK(result.precisions == std::vector<double>{0, 0, 0, 0});
      CHECK(bleu_of("p q r s t", {"u v w x y"}, {.smoothing = smoothing}).score == 0);
    }
}

TEST_CASE("an order without matches makes the score 0 and is not left out") {
  const Bleu result = bleu_of("x z y", {"x y z"});
  CHECK(counted(result, {3, 0, 0, 0}, {3, 2, 1, 0}, 3, 3));
  CHECK(result.score == 0);
  CHECK(bleu_of("x z y", {"x y z"}, {.effective_order = true}).score == 0);
  CHECK(bleu_of("x z y", {"x y z"}, {.smoothing = Smoothing::exp}).score == 0);  // no hypothesis has four words
  CHECK(bleu_of("x z y", {"x y z"}, {.smoothing = Smoothing::exp, .effective_order = true}).score ==
        Approx(hundred_mean({3 / 3.0, 1 / (2 * 2.0), 1 / (4 * 1.0)})));
}

TEST_CASE("a short sentence is perfect by its effective order only") {
  const Bleu result = bleu_of("a b", {"a b"});
  CHECK(counted(result, {2, 1, 0, 0}, {2, 1, 0, 0}, 2, 2));
  CHECK(result.score == 0);
  CHECK(result.precisions == std::vector<double>{100, 100, 0, 0});
  CHECK(bleu_of("a b", {"a b"}, {.effective_order = true}).score == 100);
  CHECK(bleu_of("a b", {"a b"}, {.order = 2}).score == 100);
  CHECK(bleu_of("a b", {"a b"}, {.smoothing = Smoothing::floor}).score == 0);
  // A corpus has the order of its longest hypothesis: 2/2 + 3/3, 1/1 + 2/2, 0/0 + 1/1.
  CHECK(bleu_of(Texts{"a b", "c d e"}, {{"a b"}, {"c d e"}}, {.effective_order = true}).score == 100);
}

TEST_CASE("smoothing") {
  const std::string hypothesis = "we saw one big red fox";
  const Texts references{"we saw a big fox today"};
  const Bleu plain = bleu_of(hypothesis, references);
  CHECK(counted(plain, {4, 1, 0, 0}, {6, 5, 4, 3}, 6, 6));
  CHECK(plain.score == 0);
  const Bleu exp = bleu_of(hypothesis, references, {.smoothing = Smoothing::exp});
  CHECK(exp.score == Approx(hundred_mean({4 / 6.0, 1 / 5.0, 1 / (2 * 4.0), 1 / (4 * 3.0)})));
  CHECK(exp.score == Approx(19.304870).epsilon(1e-7));
  CHECK(exp.precisions[3] == Approx(100 / 12.0));
  CHECK(counted(exp, {4, 1, 0, 0}, {6, 5, 4, 3}, 6, 6));
  CHECK(bleu_of(hypothesis, references, {.smoothing = Smoothing::floor}).score ==
        Approx(hundred_mean({4 / 6.0, 1 / 5.0, 0.1 / 4, 0.1 / 3})));
  CHECK(bleu_of(hypothesis, references, {.smoothing = Smoothing::floor, .floor = 0.5}).score ==
        Approx(hundred_mean({4 / 6.0, 1 / 5.0, 0.5 / 4, 0.5 / 3})));
  const Bleu add = bleu_of(hypothesis, references, {.smoothing = Smoothing::add_k});
  CHECK(add.score == Approx(hundred_mean({4 / 6.0, 2 / 6.0, 1 / 5.0, 1 / 4.0})));
  CHECK(counted(add, {4, 1, 0, 0}, {6, 5, 4, 3}, 6, 6));
  CHECK(bleu_of(hypothesis, references, {.smoothing = Smoothing::add_k, .k = 0.5}).score ==
        Approx(hundred_mean({4 / 6.0, 1.5 / 5.5, 0.5 / 4.5, 0.5 / 3.5})));
  CHECK(bleu_of(hypothesis, references, {.smoothing = Smoothing::add_k, .k = 0}).score == 0);
  // Adding gives an order that no hypothesis reaches (0 + 1) / (0 + 1).
  CHECK(bleu_of("a c", {"a b"}, {.smoothing = Smoothing::add_k}).score ==
        Approx(hundred_mean({1 / 2.0, 1 / 2.0, 1 / 1.0, 1 / 1.0})));
}

TEST_CASE("smoothing leaves what has matches as it is") {
  for (const Smoothing smoothing : {Smoothing::exp, Smoothing::floor})
    CHECK(bleu_of("a b c d e", {"a b c d f"}, {.smoothing = smoothing}).score ==
          Approx(hundred_mean({4 / 5.0, 3 / 4.0, 2 / 3.0, 1 / 2.0})));
}

TEST_CASE("too short a translation is penalised, too long a one by its precisions alone") {
  const Bleu brief = bleu_of("a b c d", {"a b c d e f"});
  CHECK(counted(brief, {4, 3, 2, 1}, {4, 3, 2, 1}, 4, 6));
  CHECK(brief.brevity_penalty == Approx(std::exp(1 - 6 / 4.0)));
  CHECK(brief.score == Approx(100 * std::exp(1 - 6 / 4.0)));
  const Bleu lengthy = bleu_of("a b c d e f", {"a b c d"});
  CHECK(counted(lengthy, {4, 3, 2, 1}, {6, 5, 4, 3}, 6, 4));
  CHECK(lengthy.brevity_penalty == 1);
  CHECK(lengthy.score == Approx(hundred_mean({4 / 6.0, 3 / 5.0, 2 / 4.0, 1 / 3.0})));
}

TEST_CASE("the reference closest in length counts, the shorter of two") {
  const std::string five = "a b c d e";
  for (const Texts& either_order : {Texts{"a b c d", "a b c d e f"}, Texts{"a b c d e f", "a b c d"}})
    CHECK(counted(bleu_of(five, either_order), {5, 4, 3, 2}, {5, 4, 3, 2}, 5, 4));
  CHECK(bleu_of(five, {"a b", "a b c d e f g"}).reference_length == 7);
  CHECK(bleu_of(five, {"a b c d e f g h", "a b c d e f g"}).score == Approx(100 * std::exp(1 - 7 / 5.0)));
}

TEST_CASE("counts and lengths are summed over the corpus") {
  // a b c d e: 5/5 4/4 3/3 2/2.  a c d: 2/3 ("a", "c"), 1/2 ("a c"), 0/1.  Lengths 5 + 3, 5 + 5.
  const Bleu result = bleu_of(Texts{"a b c d e", "a c d"}, {{"a b c d e"}, {"a c b x x"}});
  CHECK(counted(result, {7, 5, 3, 2}, {8, 6, 4, 2}, 8, 10));
  CHECK(result.score == Approx(std::exp(1 - 10 / 8.0) * hundred_mean({7 / 8.0, 5 / 6.0, 3 / 4.0, 2 / 2.0})));
  // A sentence's words match in its own references only.
  CHECK(bleu_of(Texts{"a", "b"}, {{"b"}, {"a"}}, {.order = 1}).score == 0);
}

TEST_CASE("an empty translation") {
  for (const Smoothing smoothing : every_smoothing)
    for (const bool effective : {false, true}) {
      const Bleu nothing = bleu_of("", {"a b c"}, {.smoothing = smoothing, .effective_order = effective});
      CHECK(counted(nothing, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 3));
      CHECK(nothing.score == 0);
      CHECK(nothing.brevity_penalty == 0);
      CHECK(bleu_of("", {""}, {.smoothing = smoothing, .effective_order = effective}).score == 0);
    }
  const Bleu one_of_two = bleu_of(Texts{"", "a b c d e"}, {{"a b"}, {"a b c d e"}});
  CHECK(counted(one_of_two, {5, 4, 3, 2}, {5, 4, 3, 2}, 5, 7));
  CHECK(one_of_two.score == Approx(100 * std::exp(1 - 7 / 5.0)));
}

TEST_CASE("an empty reference is not the closest") {
  for (const Texts& either_order : {Texts{"", "a b c d e"}, Texts{"a b c d e", ""}}) {
    CHECK(bleu_of("a b", either_order, {.order = 2}).score == Approx(100 * std::exp(1 - 5 / 2.0)));
    CHECK(bleu_of("", either_order).reference_length == 5);
  }
  CHECK(bleu_of("a b", {""}).score == 0);
  CHECK(counted(bleu_of("a b", {"", ""}, {.order = 1}), {0}, {2}, 2, 0));
}

TEST_CASE("words are compared byte by byte") {
  CHECK(bleu_of("\u00E9", {"\u00E9"}, {.order = 1}).score == 100);
  CHECK(bleu_of("e\u0301", {"\u00E9"}, {.order = 1}).score == 0);
  CHECK(bleu_of("A", {"a"}, {.order = 1}).score == 0);
}

TEST_CASE("a score lies in 0..100, is 100 for a reference, and is that of the ids") {
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    const Random random = Random{trial}.child("bleu");
    const auto sentence = [&](std::string_view name, std::uint64_t number) {
      const Random its = random.child(name).child(number);
      std::vector<int> ids;
      for (std::uint64_t i = 1; i <= its.below(8, 0); ++i) ids.push_back(static_cast<int>(its.below(3, i)));
      return ids;
    };
    std::vector<std::vector<int>> hypotheses, copies;
    std::vector<std::vector<std::vector<int>>> references;
    for (std::uint64_t s = 0; s < 1 + trial % 3; ++s) {
      hypotheses.push_back(sentence("hypothesis", s));
      references.push_back({sentence("first", s), sentence("second", s)});
      copies.push_back(std::ranges::max(references.back(), {}, &std::vector<int>::size));
    }
    const auto spelled = [](const std::vector<int>& ids) {
      Tokens result;
      for (const int id : ids) result.push_back("w" + std::to_string(id));
      return result;
    };
    std::vector<Tokens> hypothesis_words;
    std::vector<std::vector<Tokens>> reference_words;
    for (const auto& ids : hypotheses) hypothesis_words.push_back(spelled(ids));
    for (const auto& list : references) reference_words.push_back({spelled(list[0]), spelled(list[1])});
    const bool any_word = std::ranges::any_of(copies, [](const auto& ids) { return !ids.empty(); });
    for (const Smoothing smoothing : every_smoothing) {
      const BleuOptions options{.smoothing = smoothing, .effective_order = true};
      const Bleu result = bleu(hypotheses, references, options);
      CHECK((result.score >= 0 && result.score <= 100));  // false for NaN
      for (const double p : result.precisions) CHECK((p >= 0 && p <= 100));
      CHECK(bleu(hypothesis_words, reference_words, options).score == result.score);
      CHECK(bleu(copies, references, options).score == (any_word ? 100 : 0));
    }
  }
}

TEST_CASE("what cannot be scored is an error") {
  const auto message = [](const Texts& hypotheses, const std::vector<Texts>& references, BleuOptions options = {}) {
    return error_text([&] { bleu_of(hypotheses, references, options); });
  };
  CHECK(says(message({}, {}), {"bleu: the corpus is empty"}));
  CHECK(says(message({"a", "b"}, {{"a"}}), {"bleu: 2 hypotheses and 1 lists of references"}));
  CHECK(says(message({}, {{"a"}}), {"bleu: 0 hypotheses and 1 lists of references"}));
  CHECK(says(message({"a", "b"}, {{"a"}, {}}), {"bleu: sentence 1 has no reference"}));
  CHECK(says(message({"a"}, {{"a"}}, {.order = 0}), {"order is 0"}));
  const double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -0.1, 1.5, not_a_number})
    CHECK(says(message({"a"}, {{"a"}}, {.floor = bad}), {"floor is ", "at most 1 was expected"}));
  for (const double bad : {-0.1, std::numeric_limits<double>::infinity(), not_a_number})
    CHECK(says(message({"a"}, {{"a"}}, {.k = bad}), {"k is ", "at least 0 was expected"}));
}
