#include "models/tagged_batch.hpp"

#include <algorithm>
#include <string>

#include "autodiff/error.hpp"

namespace hindsight {

TaggedBatch TaggedBatch::of(std::span<const std::vector<int>> symbols, std::span<const std::vector<int>> tags) {
  if (symbols.size() != tags.size())
    throw Error("tagger: " + std::to_string(symbols.size()) + " sentences and " + std::to_string(tags.size()) +
                " lists of tags");
  TaggedBatch batch;
  std::size_t longest = 0;
  for (std::size_t b = 0; b < symbols.size(); ++b) {
    if (symbols[b].size() != tags[b].size())
      throw Error("tagger: sentence " + std::to_string(b) + " has " + std::to_string(symbols[b].size()) +
                  " symbols and " + std::to_string(tags[b].size()) + " tags");
    batch.lengths.push_back(symbols[b].size());
    longest = std::max(longest, symbols[b].size());
  }
  batch.symbols.assign(longest * symbols.size(), 0);
  batch.tags.assign(longest * symbols.size(), -1);
  for (std::size_t b = 0; b < symbols.size(); ++b)
    for (std::size_t i = 0; i < symbols[b].size(); ++i) {
      batch.symbols[i * symbols.size() + b] = symbols[b][i];
      batch.tags[i * symbols.size() + b] = tags[b][i];
    }
  return batch;
}

double tag_accuracy(std::span<const std::int32_t> found, std::span<const std::int32_t> expected) {
  if (found.size() != expected.size())
    throw Error("tag accuracy: " + std::to_string(found.size()) + " tags were found and " +
                std::to_string(expected.size()) + " expected");
  std::size_t counted = 0, right = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (expected[i] < 0) continue;
    ++counted;
    right += found[i] == expected[i];
  }
  return counted == 0 ? 0 : static_cast<double>(right) / static_cast<double>(counted);
}

}  // namespace hindsight
