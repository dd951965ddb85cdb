// Sentences and their tags, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hindsight {

/// Sentences of unequal lengths side by side, position-major: symbols and tags are Time x Batch.
/// Behind a sentence's end the symbols are any, and the tags -1.
struct TaggedBatch {
  std::vector<std::int32_t> symbols;
  std::vector<std::int32_t> tags;
  std::vector<std::size_t> lengths;

  std::size_t positions() const { return lengths.empty() ? 0 : symbols.size() / lengths.size(); }

  /// Puts sentences side by side. Throws Error if a sentence has more tags than symbols, or fewer.
  static TaggedBatch of(std::span<const std::vector<int>> symbols, std::span<const std::vector<int>> tags);
};

/// The share of right tags among the counted positions; 0 if there are none.
double tag_accuracy(std::span<const std::int32_t> found, std::span<const std::int32_t> expected);

}  // namespace hindsight
