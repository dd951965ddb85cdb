// How the kernels along an axis see a tensor of any rank.
#pragma once

#include <cstddef>

namespace hindsight::kernels {

/// A contiguous row-major tensor around one of its axes: outer x n x inner. The axes before it are
/// flattened into `outer`, those after it into `inner`. An operation along the axis has
/// outer x inner independent slices of n elements, and a reduction leaves outer x inner results.
struct AxisLayout {
  std::size_t outer = 1;
  std::size_t n = 0;
  std::size_t inner = 1;

  constexpr std::size_t results() const { return outer * inner; }
  constexpr std::size_t elements() const { return outer * n * inner; }
};

}  // namespace hindsight::kernels
