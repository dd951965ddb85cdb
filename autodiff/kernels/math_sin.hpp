// Sine and cosine.
#pragma once

#include <cmath>
#include <cstddef>

#include "autodiff/kernels/math_common.hpp"

namespace hindsight::simd {

namespace detail {

/// sin(x + h pi) for h = 0 or 1/2 and |x| up to `sine_limit`: with the integer m nearest to
/// x / pi + h, and r = x - (m - h) pi, it is (-1)^m sin r.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sine(D d, V x, hn::TFromD<D> h) {
  using T = hn::TFromD<D>;
  const V half_turns = hn::MulAdd(x, hn::Set(d, T(0.31830988618379067)), hn::Set(d, h));
  const V shifted = hn::Add(half_turns, hn::Set(d, shifter<D>));
  const V n = hn::Sub(hn::Sub(shifted, hn::Set(d, shifter<D>)), hn::Set(d, h));
  // pi in three parts, the first two so short that n times them is exact
  V r = hn::NegMulAdd(n, hn::Set(d, T(is_float<D> ? 0x1.92p1 : 0x1.921fb54p1)), x);
  r = hn::NegMulAdd(n, hn::Set(d, T(is_float<D> ? 0x1.fb4p-11 : 0x1.10b46118p-29)), r);
  r = hn::NegMulAdd(n, hn::Set(d, T(is_float<D> ? 0x1.4442d2p-23 : 0x1.313198a2e037p-60)), r);
  const V z = hn::Mul(r, r);
  V q;  // sin r = r + r z q(z)
  if constexpr (is_float<D>) {
    q = polynomial(d, z, -0.166666597f, 0.00833306927f, -0.000198097739f, 2.60608181e-6f);
  } else {
    q = polynomial(d, z, -0.16666666666666666, 0.0083333333333332066, -0.00019841269841212479,
                   2.7557319211569482e-6, -2.5052106904422453e-8, 1.6058941002279314e-10,
                   -7.6430193723939973e-13, 2.7214196093987362e-15);
  }
  const V sin_r = clamp(d, hn::MulAdd(q, hn::Mul(z, r), r), -1, 1);  // rounding can pass 1
  const auto odd_m = hn::ShiftLeft<8 * sizeof(T) - 1>(bits(d, shifted));  // as a sign bit
  return hn::Xor(sin_r, hn::BitCast(d, odd_m));
}

/// As far as n times the parts of pi is exact.
template <class D>
inline constexpr hn::TFromD<D> sine_limit = is_float<D> ? 1e4 : 1e7;

/// y, but f(x), the standard library's function, where |x| is past `sine_limit`.
template <class D, class V = hn::Vec<D>, class F>
HWY_INLINE V far_lanes(D d, V x, V y, F f) {
  using T = hn::TFromD<D>;
  if (hn::AllFalse(d, hn::Gt(hn::Abs(x), hn::Set(d, sine_limit<D>)))) return y;
  HWY_ALIGN T from[HWY_LANES(T)], to[HWY_LANES(T)];
  hn::Store(x, d, from);
  hn::Store(y, d, to);
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    if (std::abs(from[i]) > sine_limit<D>) to[i] = f(from[i]);
  }
  return hn::Load(d, to);
}

}  // namespace detail

/// sin x, NaN at infinity. Near a multiple k pi of pi the error of a float is up to |k| * 2e-14
/// instead of a few units in the last place.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sin(D d, V x) {
  return detail::far_lanes(d, x, detail::sine(d, x, 0), [](auto s) { return std::sin(s); });
}

/// cos x = sin(x + pi/2), as exact as `sin`.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V cos(D d, V x) {
  const hn::TFromD<D> half = 0.5;
  return detail::far_lanes(d, x, detail::sine(d, x, half), [](auto s) { return std::cos(s); });
}

}  // namespace hindsight::simd
