// Pairs of sequences side by side, for a model that reads one and writes the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "autodiff/random.hpp"

namespace hindsight {

/// Pairs of unequal lengths side by side, position-major. With bos = 1, eos = 2 and the target 7 8, beside a
/// longer one:
///
///     inputs   1 7 8 2 2      what the decoder reads: bos, then the target, shifted right
///     targets  7 8 2 -1 -1    what it is to write: the target, then eos
struct PairBatch {
  std::vector<std::int32_t> sources;        ///< Source x Batch, 0 behind a source's end
  std::vector<std::int32_t> inputs;         ///< Target x Batch, eos behind a target's end
  std::vector<std::int32_t> targets;        ///< Target x Batch, -1 behind a target's end
  std::vector<std::size_t> source_lengths;  ///< Batch
  std::vector<std::size_t> target_lengths;  ///< Batch, eos included

  std::size_t size() const { return source_lengths.size(); }
  std::size_t source_positions() const { return size() == 0 ? 0 : sources.size() / size(); }
  std::size_t target_positions() const { return size() == 0 ? 0 : targets.size() / size(); }

  /// Puts pairs side by side. A source may be empty; of an empty target only eos is left.
  ///
  /// Throws Error if there are not as many sources as targets, and for a negative id: behind a target's end it
  /// means that there is nothing to write.
  static PairBatch of(std::span<const std::vector<int>> sources, std::span<const std::vector<int>> targets, int bos,
                      int eos);

  /// Those with the numbers `which`, in their order. Throws Error for a number that no pair has, too.
  static PairBatch of(std::span<const std::vector<int>> sources, std::span<const std::vector<int>> targets,
                      std::span<const std::size_t> which, int bos, int eos);
};

/// An epoch's batches, as numbers of pairs: pairs with sources of similar lengths together, so that little is
/// padded. The pairs are shuffled and sorted by the source's length, which leaves those of one length
/// shuffled, cut into batches, and the batches shuffled. Every pair is in one batch; all batches but one, that
/// of the longest sources, have `batch_size` pairs. They depend on the lengths and on `random` alone: give
/// each epoch its own, `random.child(epoch)`.
///
///     for (const auto& which : batches_by_length(sources, 32, random.child(epoch)))
///       train(PairBatch::of(sources, targets, which, bos, eos));
///
/// Throws Error for batches of 0.
std::vector<std::vector<std::size_t>> batches_by_length(std::span<const std::vector<int>> sources,
                                                        std::size_t batch_size, const Random& random);

}  // namespace hindsight
