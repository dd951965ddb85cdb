// Pairs side by side: what the decoder reads and writes, padding, batches by length.

#include "models/pair_batch.hpp"

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "tests/error_text.hpp"

using namespace hindsight;
using Ids = std::vector<std::int32_t>;
using Lengths = std::vector<std::size_t>;
using Sequences = std::vector<std::vector<int>>;
using Batches = std::vector<std::vector<std::size_t>>;

namespace {

constexpr int bos = 1, eos = 2;

/// n sequences of 0..longest ids from 3 on.
Sequences random_sequences(std::size_t n, std::size_t longest, const Random& random) {
  Sequences sequences(n);
  for (std::size_t s = 0; s < n; ++s) {
    const Random its = random.child(s);
    for (std::uint64_t i = 1; i <= its.below(longest + 1, 0); ++i)
      sequences[s].push_back(static_cast<int>(3 + its.below(20, i)));
  }
  return sequences;
}

Batches one_after_the_other(std::size_t n, std::size_t batch_size) {
  Batches batches;
  for (std::size_t i = 0; i < n; ++i) {
    if (i % batch_size == 0) batches.emplace_back();
    batches.back().push_back(i);
  }
  return batches;
}

/// How many positions of the sources are padding.
std::size_t padded(const Sequences& sources, const Batches& batches) {
  std::size_t count = 0;
  for (const auto& batch : batches) {
    std::size_t longest = 0;
    for (const std::size_t pair : batch) longest = std::max(longest, sources[pair].size());
    for (const std::size_t pair : batch) count += longest - sources[pair].size();
  }
  return count;
}

Lengths sorted(const Batches& batches) {
  Lengths pairs;
  for (const auto& batch : batches) pairs.insert(pairs.end(), batch.begin(), batch.end());
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

TEST_CASE("pairs side by side, position by position") {
  const Sequences sources{{5, 6, 7}, {}, {8}}, targets{{7, 8}, {9, 10, 11}, {}};
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  CHECK(batch.size() == 3);
  CHECK(batch.source_positions() == 3);
  CHECK(batch.target_positions() == 4);
  CHECK(batch.source_lengths == Lengths{3, 0, 1});
  CHECK(batch.target_lengths == Lengths{3, 4, 1});
  CHECK(batch.sources == Ids{5, 0, 8,  //
                             6, 0, 0,  //
                             7, 0, 0});
  CHECK(batch.inputs == Ids{1, 1, 1,   //
                            7, 9, 2,   //
                            8, 10, 2,  //
                            2, 11, 2});
  CHECK(batch.targets == Ids{7, 9, 2,    //
                             8, 10, -1,  //
                             2, 11, -1,  //
                             -1, 2, -1});
}

TEST_CASE("no pairs, one pair, a pair of nothing") {
  const PairBatch none = PairBatch::of(Sequences{}, Sequences{}, bos, eos);
  CHECK(none.size() == 0);
  CHECK(none.source_positions() == 0);
  CHECK(none.target_positions() == 0);
  CHECK((none.sources.empty() && none.inputs.empty() && none.targets.empty() && none.target_lengths.empty()));
  const PairBatch one = PairBatch::of(Sequences{{4}}, Sequences{{5}}, bos, eos);
  CHECK(one.sources == Ids{4});
  CHECK(one.inputs == Ids{1, 5});
  CHECK(one.targets == Ids{5, 2});
  const PairBatch nothing = PairBatch::of(Sequences{{}}, Sequences{{}}, bos, eos);
  CHECK(nothing.source_positions() == 0);
  CHECK(nothing.target_positions() == 1);
  CHECK(nothing.inputs == Ids{1});
  CHECK(nothing.targets == Ids{2});
  CHECK(nothing.source_lengths == Lengths{0});
  CHECK(nothing.target_lengths == Lengths{1});
}

TEST_CASE("a batch of some pairs is that of those pairs alone") {
  const Sequences sources{{5, 6, 7, 8, 9}, {3}, {4, 5}}, targets{{7}, {8, 9}, {10, 11, 12, 13}};
  const PairBatch some = PairBatch::of(sources, targets, Lengths{1, 0, 1}, bos, eos);
  const PairBatch alone = PairBatch::of(Sequences{sources[1], sources[0], sources[1]},
                                        Sequences{targets[1], targets[0], targets[1]}, bos, eos);
  CHECK(some.sources == alone.sources);
  CHECK(some.inputs == alone.inputs);
  CHECK(some.targets == alone.targets);
  CHECK(some.source_lengths == Lengths{1, 5, 1});
  CHECK(some.target_lengths == Lengths{3, 2, 3});
  CHECK(PairBatch::of(sources, targets, Lengths{}, bos, eos).size() == 0);
}

TEST_CASE("every sequence stands in its column, and the inputs are the targets a step later") {
  const std::size_t n = GENERATE(1, 2, 7, 30);
  const Sequences sources = random_sequences(n, 9, Random{n}.child("sources"));
  const Sequences targets = random_sequences(n, 9, Random{n}.child("targets"));
  const PairBatch batch = PairBatch::of(sources, targets, bos, eos);
  REQUIRE(batch.sources.size() == batch.source_positions() * n);
  REQUIRE(batch.targets.size() == batch.target_positions() * n);
  REQUIRE(batch.inputs.size() == batch.targets.size());
  CHECK(batch.source_positions() == *std::ranges::max_element(batch.source_lengths));
  CHECK(batch.target_positions() == *std::ranges::max_element(batch.target_lengths));
  for (std::size_t b = 0; b < n; ++b) {
    CAPTURE(b);
    REQUIRE(batch.source_lengths[b] == sources[b].size());
    REQUIRE(batch.target_lengths[b] == targets[b].size() + 1);
    for (std::size_t i = 0; i < batch.source_positions(); ++i)
      CHECK(batch.sources[i * n + b] == (i < sources[b].size() ? sources[b][i] : 0));
    CHECK(batch.inputs[b] == bos);
    for (std::size_t t = 0; t < batch.target_positions(); ++t) {
      const std::int32_t target = batch.targets[t * n + b];
      CHECK(target == (t < targets[b].size() ? targets[b][t] : t == targets[b].size() ? eos : -1));
      if (t + 1 < batch.target_positions()) CHECK(batch.inputs[(t + 1) * n + b] == (target == -1 ? eos : target));
    }
  }
}

TEST_CASE("pairs that cannot be put side by side are named") {
  const Sequences two{{3}, {4, 5}}, one{{3}}, negative{{3}, {4, -1}};
  CHECK(says(error_text([&] { PairBatch::of(two, one, bos, eos); }), {"pair batch: 2 sources and 1 targets"}));
  CHECK(says(error_text([&] { PairBatch::of(two, one, Lengths{0}, bos, eos); }), {"2 sources and 1 targets"}));
  CHECK(says(error_text([&] { PairBatch::of(two, two, Lengths{0, 2}, bos, eos); }), {"pair batch: pair 2 of 2"}));
  CHECK(says(error_text([&] { PairBatch::of(two, negative, bos, eos); }),
             {"pair batch: target 1 has id -1 at position 1"}));
  CHECK(says(error_text([&] { PairBatch::of(negative, two, bos, eos); }), {"pair batch: source 1 has id -1"}));
  CHECK(says(error_text([&] { PairBatch::of(one, one, -1, eos); }), {"bos is -1 and eos 2"}));
  CHECK(says(error_text([&] { PairBatch::of(one, one, bos, -3); }), {"bos is 1 and eos -3"}));
  CHECK(says(error_text([&] { batches_by_length(two, 0, Random{1}); }), {"batches by length: the batch size is 0"}));
}

TEST_CASE("every pair is in one batch, and all batches but the longest sources' are full") {
  const std::size_t n = GENERATE(0, 1, 2, 31, 32, 33, 200), batch_size = GENERATE(1, 2, 8, 32, 1000);
  const Sequences sources = random_sequences(n, 12, Random{n});
  const Batches batches = batches_by_length(sources, batch_size, Random{5});
  CHECK(batches.size() == (n + batch_size - 1) / batch_size);
  CHECK(sorted(batches) == sorted(one_after_the_other(n, n + 1)));
  std::size_t longest = 0;
  for (const auto& source : sources) longest = std::max(longest, source.size());
  std::size_t short_batches = 0;
  for (const auto& batch : batches) {
    CHECK((!batch.empty() && batch.size() <= batch_size));
    if (batch.size() == batch_size) continue;
    ++short_batches;
    CHECK(sources[batch.back()].size() == longest);
  }
  CHECK(short_batches == (n % batch_size != 0));
}

TEST_CASE("similar lengths are together, and little is padded") {
  const Sequences sources = random_sequences(640, 30, Random{2});
  const Batches batches = batches_by_length(sources, 32, Random{5});
  // A batch's lengths begin where those of the next shorter one end at the earliest, so that all their ranges
  // add up to 30 at most, and each of a batch's 32 sources is padded by its range at most.
  CHECK(padded(sources, batches) <= 30 * 32);
  CHECK(10 * padded(sources, batches) < padded(sources, one_after_the_other(640, 32)));
}

TEST_CASE("one seed gives the same batches, others give others") {
  const Sequences sources = random_sequences(100, 5, Random{3});
  const Batches batches = batches_by_length(sources, 8, Random{7});
  CHECK(batches_by_length(sources, 8, Random{7}) == batches);
  CHECK(batches_by_length(sources, 8, Random{8}) != batches);
  CHECK(batches_by_length(sources, 8, Random{7}.child(1)) != batches);
  // On every machine: lengths 2 0 1 0 2 1 0 of the pairs 0..6.
  const Sequences seven{{3, 3}, {}, {3}, {}, {3, 3}, {3}, {}};
  CHECK(batches_by_length(seven, 2, Random{7}) == Batches{{6, 5}, {2, 0}, {3, 1}, {4}});
}

TEST_CASE("pairs of one length are shuffled, and batches are not in the order of their lengths") {
  const Sequences alike(100, std::vector<int>{3, 4});
  const Batches batches = batches_by_length(alike, 10, Random{1});
  CHECK(batches != one_after_the_other(100, 10));
  for (auto batch : batches) {
    std::sort(batch.begin(), batch.end());
    CHECK(batch.back() - batch.front() > 9);  // not ten neighbours
  }
  Sequences longer_and_longer(100);
  for (std::size_t s = 0; s < 100; ++s) longer_and_longer[s].assign(s, 3);
  const Batches by_length = batches_by_length(longer_and_longer, 10, Random{1});
  CHECK(sorted(by_length) == sorted(batches));
  CHECK_FALSE(std::ranges::is_sorted(by_length));
  for (const auto& batch : by_length) CHECK(batch.back() - batch.front() == 9);  // ten lengths on end
}
