// How a long text is read for truncated backpropagation: several streams side by side, in windows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hindsight {

/// A text cut into as many streams as the batch is wide, read side by side in windows of some steps:
/// stream b is the b-th part of the text, and its next window follows on.
class TextWindows {
 public:
  /// Throws Error if the text is too short for one window.
  TextWindows(std::span<const int> text, std::size_t batch, std::size_t steps);

  /// How many whole windows an epoch has. What is left of the streams is window size(), a shorter one.
  std::size_t size() const { return (stream_ - 1) / steps_; }
  std::size_t batch() const { return batch_; }
  std::size_t steps() const { return steps_; }

  /// The steps of window w: those of all, then what is left, then 0.
  std::size_t steps(std::size_t w) const { return std::min(steps_, stream_ - 1 - std::min(w * steps_, stream_ - 1)); }

  /// Window w, time-major: the symbols, and those that follow each.
  std::span<const std::int32_t> inputs(std::size_t w) { return read(w, 0, inputs_); }
  std::span<const std::int32_t> targets(std::size_t w) { return read(w, 1, targets_); }

 private:
  std::span<const std::int32_t> read(std::size_t w, std::size_t shift, std::vector<std::int32_t>& into);

  std::span<const int> text_;
  std::size_t batch_, steps_, stream_;
  std::vector<std::int32_t> inputs_, targets_;
};

}  // namespace hindsight
