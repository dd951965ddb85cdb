// Packing: a strip of a matrix copied so that the micro-kernel reads it front to back.
//
// A strip is `width` neighbouring columns of B (or rows of A) over all k: strip[k * width + w].
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "autodiff/kernels/simd.hpp"

namespace hindsight::kernels {

/// A strip as it lies in the matrix: element (k, w) is data[k * k_stride + w * w_stride], and
/// `count` lanes w exist.
template <class T>
struct StripSource {
  const T* data;
  std::size_t k_stride, w_stride;
  std::size_t count;

  /// Where lane w begins; past the last lane, the last one again.
  const T* lane(std::size_t w) const { return data + std::min(w, count - 1) * w_stride; }
};

/// Lanes of a 128-bit block (1 where vectors have one lane).
template <class T>
inline constexpr std::size_t block_lanes = std::min<std::size_t>(lanes<T>(), 16 / sizeof(T));

// Combine and Interleave are found by the namespace of their arguments: Highway's one-lane target
// does not declare them.

/// N lanes of which block j holds lane w + j * block_lanes at k, k + 1, ... (adjacent in memory).
template <std::size_t N, class T>
HWY_INLINE hn::Vec<hn::FixedTag<T, N>> gather_blocks(const StripSource<T>& source, std::size_t k,
                                                     std::size_t w) {
  constexpr hn::FixedTag<T, N> d;
  if constexpr (N <= block_lanes<T>) {
    return hn::LoadU(d, source.lane(w) + k);
  } else {
    return Combine(d, gather_blocks<N / 2>(source, k, w + N / 2),
                   gather_blocks<N / 2>(source, k, w));
  }
}

/// Rows k, k + 1, ... k + block_lanes - 1 of the strip, lanes w, w + 1, ... of each, out of a
/// matrix whose k are adjacent: a transpose of every 128-bit block.
template <class T>
HWY_INLINE std::array<Vec<T>, block_lanes<T>> transposed_blocks(const StripSource<T>& source,
                                                                std::size_t k, std::size_t w) {
  constexpr Simd<T> d;
  const auto lane = [&](std::size_t i) { return gather_blocks<lanes<T>()>(source, k, w + i); };
  if constexpr (block_lanes<T> == 4) {
    const Vec<T> a = lane(0), b = lane(1), c = lane(2), e = lane(3);
    const Vec<T> ac_low = InterleaveLower(d, a, c), ac_high = InterleaveUpper(d, a, c);
    const Vec<T> be_low = InterleaveLower(d, b, e), be_high = InterleaveUpper(d, b, e);
    return {InterleaveLower(d, ac_low, be_low), InterleaveUpper(d, ac_low, be_low),
            InterleaveLower(d, ac_high, be_high), InterleaveUpper(d, ac_high, be_high)};
  } else if constexpr (block_lanes<T> == 2) {
    const Vec<T> a = lane(0), b = lane(1);
    return {InterleaveLower(d, a, b), InterleaveUpper(d, a, b)};
  } else {
    return {lane(0)};
  }
}

/// Fills the k x width strip. Lanes past source.count (all within the last vector) are padding:
/// what is computed from them is never stored.
template <class T>
void pack_strip(std::size_t k, std::size_t width, const StripSource<T>& source, T* strip) {
  constexpr Simd<T> d;
  std::size_t done = 0;
  if (source.w_stride == 1) {
    for (; done < k; ++done) {
      const T* from = source.data + done * source.k_stride;
      for (std::size_t w = 0; w < width; w += lanes<T>()) {
        const Vec<T> v = simd::load_n(d, from + w, source.count - w);
        simd::store_n(v, d, strip + done * width + w, width - w);
      }
    }
  } else if (source.k_stride == 1) {
    for (; done + block_lanes<T> <= k; done += block_lanes<T>) {
      for (std::size_t w = 0; w < width; w += lanes<T>()) {
        const auto rows = transposed_blocks(source, done, w);
        for (std::size_t i = 0; i < block_lanes<T>; ++i) {
          simd::store_n(rows[i], d, strip + (done + i) * width + w, width - w);
        }
      }
    }
  }
  for (; done < k; ++done) {
    for (std::size_t w = 0; w < width; ++w) {
      strip[done * width + w] = source.lane(w)[done * source.k_stride];
    }
  }
}

}  // namespace hindsight::kernels
