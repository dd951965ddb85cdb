#include "models/text_windows.hpp"

#include <string>

#include "autodiff/error.hpp"

namespace hindsight {

TextWindows::TextWindows(std::span<const int> text, std::size_t batch, std::size_t steps)
    : text_(text), batch_(batch), steps_(steps), stream_(batch == 0 ? 0 : text.size() / batch) {
  if (batch == 0 || steps == 0) throw Error("text windows: batch and steps must be at least 1");
  if (stream_ < steps + 1)
    throw Error("text windows: a text of " + std::to_string(text.size()) + " symbols is too short for " +
                std::to_string(batch) + " streams of " + std::to_string(steps) + " steps; it needs " +
                std::to_string(batch * (steps + 1)));
}

std::span<const std::int32_t> TextWindows::read(std::size_t w, std::size_t shift, std::vector<std::int32_t>& into) {
  into.resize(steps(w) * batch_);
  for (std::size_t t = 0; t < steps(w); ++t)
    for (std::size_t b = 0; b < batch_; ++b) into[t * batch_ + b] = text_[b * stream_ + w * steps_ + t + shift];
  return into;
}

}  // namespace hindsight
