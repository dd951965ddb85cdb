// How the learning rate falls over a training run.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace hindsight {

/// From 1 at the first step towards a tenth behind the last, along a half cosine (Loshchilov and Hutter 2017).
inline double half_cosine(std::size_t step, std::size_t steps) {
  const double progress = std::min(1.0, static_cast<double>(step) / static_cast<double>(steps));
  return 0.55 + 0.45 * std::cos(std::acos(-1.0) * progress);
}

}  // namespace hindsight
