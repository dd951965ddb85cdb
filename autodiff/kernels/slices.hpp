// Walking a tensor along one axis with vectors, so that a kernel states its equation once.
//
// A slice hands its kernel `Piece`s, each one vector long. Where the axis is the innermost one
// (`RowSlice`) a vector holds neighbours along the axis and a reduction ends across the lanes;
// otherwise (`ColumnSlices`) it holds neighbouring slices side by side, which never mix.
//
// Order of a sum: element i of a slice belongs to partial sum i mod 16; each partial sum is added
// in the order of i, and then partial p takes in partial p + 8, p + 4, p + 2, p + 1. The order is
// the same for rows and columns and for every vector width, and zeros at the end change nothing:
// a sentence alone, in a batch, or padded gives the same bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "autodiff/kernels/axis_layout.hpp"
#include "autodiff/kernels/simd.hpp"

namespace hindsight::kernels {

inline constexpr std::size_t partial_sums = 16;

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

/// One vector of a slice: `count` elements from `offset`; `index` is the place on the axis of the
/// first one.
struct Piece {
  std::size_t offset, count, index;
};

template <class T>
HWY_INLINE Vec<T> load(const T* p, Piece at) {
  return simd::load_n(Simd<T>(), p + at.offset, at.count);
}

template <class T>
HWY_INLINE void store(Vec<T> v, T* p, Piece at) {
  simd::store_n(v, Simd<T>(), p + at.offset, at.count);
}

/// p += v
template <class T>
HWY_INLINE void accumulate(Vec<T> v, T* p, Piece at) {
  store(hn::Add(load(p, at), v), p, at);
}

/// Which elements take part: those whose mask is not 0, or all where there is no mask.
template <class T>
HWY_INLINE auto kept(const T* mask, Piece at) {
  const Simd<T> d;
  if (mask == nullptr) return hn::FirstN(d, lanes<T>());
  return hn::Ne(load(mask, at), hn::Zero(d));
}

/// The maximum, lane by lane, of what it has taken in; NaN if a NaN was among it, -inf at first.
template <class T>
class MaxOrNan {
 public:
  HWY_INLINE void take(Vec<T> v) {
    largest_ = hn::Max(largest_, v);
    nan_ = hn::Or(nan_, hn::IsNaN(v));
  }
  HWY_INLINE Vec<T> value() const { return hn::IfThenElse(nan_, hn::NaN(d_), largest_); }

  /// The maximum of all lanes, in every lane. (Highway's MaxOfLanes starts from the lowest finite
  /// number on its emulated target, which is above -inf.)
  HWY_INLINE Vec<T> over_lanes() const {
    if (!hn::AllFalse(d_, nan_)) return hn::NaN(d_);
    HWY_ALIGN T lane[HWY_LANES(T)];
    hn::Store(largest_, d_, lane);
    for (std::size_t half = lanes<T>() / 2; half > 0; half /= 2)
      for (std::size_t k = 0; k < half; ++k) lane[k] = std::max(lane[k], lane[k + half]);
    return hn::Set(d_, lane[0]);
  }

 private:
  static constexpr Simd<T> d_{};
  Vec<T> largest_ = hn::Set(d_, -infinity<T>);
  hn::Mask<Simd<T>> nan_ = hn::FirstN(d_, 0);
};

/// Calls f(i, count) for the vectors of 0..n; the body's call has a constant count.
template <class D, class F>
HWY_INLINE void for_each_vector(D d, std::size_t n, F f) {
  const std::size_t width = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + width <= n; i += width) f(i, width);
  if (i < n) f(i, n - i);
}

/// The 16 partial sums of `terms(i, count)` over 0..n, combined. Lanes past `count` are ignored.
template <class D, class Terms>
HWY_INLINE hn::TFromD<D> sum_over(D d, std::size_t n, Terms terms) {
  using T = hn::TFromD<D>;
  constexpr std::size_t width = HWY_LANES(T), vectors = partial_sums / width;
  static_assert(vectors * width == partial_sums);
  hn::Vec<D> sums[vectors];
  for (auto& sum : sums) sum = hn::Zero(d);
  std::size_t i = 0;
  for (; i + partial_sums <= n; i += partial_sums)
    for (std::size_t k = 0; k < vectors; ++k)
      sums[k] = hn::Add(sums[k], terms(i + k * width, width));
  for (std::size_t k = 0; i < n; ++k, i += width) {
    const std::size_t count = std::min(width, n - i);
    sums[k] = hn::Add(sums[k], hn::IfThenElseZero(hn::FirstN(d, count), terms(i, count)));
  }
  HWY_ALIGN T partial[partial_sums];
  for (std::size_t k = 0; k < vectors; ++k) hn::Store(sums[k], d, partial + k * width);
  for (std::size_t half = partial_sums / 2; half > 0; half /= 2)
    for (std::size_t p = 0; p < half; ++p) partial[p] += partial[p + half];
  return partial[0];
}

/// One slice of a tensor whose axis is innermost: n elements in a row.
template <class T>
struct RowSlice {
  std::size_t begin, n, result;
  Simd<T> d;

  template <class F>
  HWY_INLINE void each(F f) const {
    for_each_vector(d, n, [&](std::size_t i, std::size_t count) { f(Piece{begin + i, count, i}); });
  }

  /// The places on the axis of a piece's lanes.
  HWY_INLINE Vec<T> places(Piece at) const { return hn::Iota(d, static_cast<T>(at.index)); }

  template <class Terms>
  HWY_INLINE Vec<T> sum(Terms terms) const {
    return hn::Set(d, sum_over(d, n, [&](std::size_t i, std::size_t count) {
                     return terms(Piece{begin + i, count, i});
                   }));
  }

  /// The largest term, NaN if there is one, -inf if there are none.
  template <class Terms>
  HWY_INLINE Vec<T> max(Terms terms) const {
    MaxOrNan<T> largest;
    each([&](Piece at) {
      auto v = terms(at);
      if (at.count < lanes<T>())
        v = hn::IfThenElse(hn::FirstN(d, at.count), v, hn::Set(d, -infinity<T>));
      largest.take(v);
    });
    return largest.over_lanes();
  }

  /// What a reduction left for this slice, in every lane.
  HWY_INLINE Vec<T> load_result(const T* p) const { return hn::Set(d, p[result]); }
  HWY_INLINE void store_result(Vec<T> v, T* p) const { p[result] = hn::GetLane(v); }
  HWY_INLINE std::size_t results() const { return 1; }
};

/// `count` slices side by side, one in each lane, of a tensor with axes after the one walked.
template <class T>
struct ColumnSlices {
  std::size_t begin, n, stride, count, result;
  Simd<T> d;

  template <class F>
  HWY_INLINE void each(F f) const {
    for (std::size_t i = 0; i < n; ++i) f(Piece{begin + i * stride, count, i});
  }

  HWY_INLINE Vec<T> places(Piece at) const { return hn::Set(d, static_cast<T>(at.index)); }

  template <class Terms>
  HWY_INLINE Vec<T> sum(Terms terms) const {
    HWY_ALIGN T partial[partial_sums * HWY_LANES(T)] = {};
    const auto add = [&](std::size_t p, Vec<T> v) {
      T* const sum = partial + p * lanes<T>();
      hn::Store(hn::Add(hn::Load(d, sum), v), d, sum);
    };
    each([&](Piece at) { add(at.index % partial_sums, terms(at)); });
    for (std::size_t half = partial_sums / 2; half > 0; half /= 2)
      for (std::size_t p = 0; p < half; ++p)
        add(p, hn::Load(d, partial + (p + half) * lanes<T>()));
    return hn::Load(d, partial);
  }

  template <class Terms>
  HWY_INLINE Vec<T> max(Terms terms) const {
    MaxOrNan<T> largest;
    each([&](Piece at) { largest.take(terms(at)); });
    return largest.value();
  }

  HWY_INLINE Vec<T> load_result(const T* p) const { return simd::load_n(d, p + result, count); }
  HWY_INLINE void store_result(Vec<T> v, T* p) const { simd::store_n(v, d, p + result, count); }
  HWY_INLINE std::size_t results() const { return count; }
};

/// Calls f(slice) for all slices of the layout.
template <class T, class F>
HWY_INLINE void for_each_slice(AxisLayout a, F f) {
  for (std::size_t o = 0; o < a.outer; ++o) {
    if (a.inner == 1) {
      f(RowSlice<T>{o * a.n, a.n, o, {}});
      continue;
    }
    for (std::size_t j = 0; j < a.inner; j += lanes<T>()) {
      const std::size_t count = std::min(lanes<T>(), a.inner - j);
      f(ColumnSlices<T>{o * a.n * a.inner + j, a.n, a.inner, count, o * a.inner + j, {}});
    }
  }
}

}  // namespace hindsight::kernels
