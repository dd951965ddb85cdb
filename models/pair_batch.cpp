#include "models/pair_batch.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "autodiff/error.hpp"

namespace hindsight {
namespace {

using Sequences = std::span<const std::vector<int>>;

void check_counts(Sequences sources, Sequences targets) {
  if (sources.size() != targets.size())
    throw Error("pair batch: " + std::to_string(sources.size()) + " sources and " + std::to_string(targets.size()) +
                " targets, as many were expected");
}

void check_ids(const std::string& what, std::size_t pair, const std::vector<int>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i] < 0)
      throw Error("pair batch: " + what + " " + std::to_string(pair) + " has id " + std::to_string(ids[i]) +
                  " at position " + std::to_string(i) + ", 0 or more was expected");
}

std::vector<std::size_t> numbers(std::size_t n) {
  std::vector<std::size_t> result(n);
  std::iota(result.begin(), result.end(), std::size_t{0});
  return result;
}

}  // namespace

PairBatch PairBatch::of(Sequences sources, Sequences targets, int bos, int eos) {
  check_counts(sources, targets);
  return of(sources, targets, numbers(sources.size()), bos, eos);
}

PairBatch PairBatch::of(Sequences sources, Sequences targets, std::span<const std::size_t> which, int bos, int eos) {
  check_counts(sources, targets);
  if (bos < 0 || eos < 0)
    throw Error("pair batch: bos is " + std::to_string(bos) + " and eos " + std::to_string(eos) +
                ", 0 or more was expected");
  PairBatch batch;
  std::size_t longest_source = 0, longest_target = 0;
  for (const std::size_t pair : which) {
    if (pair >= sources.size())
      throw Error("pair batch: pair " + std::to_string(pair) + " of " + std::to_string(sources.size()) +
                  " is asked for");
    check_ids("source", pair, sources[pair]);
    check_ids("target", pair, targets[pair]);
    batch.source_lengths.push_back(sources[pair].size());
    batch.target_lengths.push_back(targets[pair].size() + 1);
    longest_source = std::max(longest_source, batch.source_lengths.back());
    longest_target = std::max(longest_target, batch.target_lengths.back());
  }
  const std::size_t n = which.size();
  batch.sources.assign(longest_source * n, 0);
  batch.inputs.assign(longest_target * n, eos);
  batch.targets.assign(longest_target * n, -1);
  for (std::size_t b = 0; b < n; ++b) {
    const std::vector<int>&source = sources[which[b]], &target = targets[which[b]];
    for (std::size_t i = 0; i < source.size(); ++i) batch.sources[i * n + b] = source[i];
    batch.inputs[b] = bos;
    for (std::size_t t = 0; t < target.size(); ++t)
      batch.targets[t * n + b] = batch.inputs[(t + 1) * n + b] = target[t];
    batch.targets[target.size() * n + b] = eos;
  }
  return batch;
}

std::vector<std::vector<std::size_t>> batches_by_length(Sequences sources, std::size_t batch_size,
                                                        const Random& random) {
  if (batch_size == 0) throw Error("batches by length: the batch size is 0, at least 1 was expected");
  std::vector<std::size_t> pairs = numbers(sources.size());
  shuffle(std::span(pairs), random.child("pairs"));
  std::ranges::stable_sort(pairs, {}, [&](std::size_t pair) { return sources[pair].size(); });
  std::vector<std::vector<std::size_t>> batches;
  for (std::span<const std::size_t> rest = pairs; !rest.empty();) {
    const auto batch = rest.first(std::min(batch_size, rest.size()));
    batches.emplace_back(batch.begin(), batch.end());
    rest = rest.subspan(batch.size());
  }
  shuffle(std::span(batches), random.child("batches"));
  return batches;
}

}  // namespace hindsight
