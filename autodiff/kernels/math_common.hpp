// What the elementary functions share: polynomials, and numbers taken apart into their bits.
#pragma once

#include <limits>

#include "autodiff/kernels/simd.hpp"

namespace hindsight::simd::detail {

/// c_0 + c_1 x + c_2 x^2 + ..., by Horner's rule.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V polynomial(D d, V, hn::TFromD<D> c) {
  return hn::Set(d, c);
}
template <class D, class V = hn::Vec<D>, class... Rest>
HWY_INLINE V polynomial(D d, V x, hn::TFromD<D> c, Rest... rest) {
  return hn::MulAdd(polynomial(d, x, rest...), x, hn::Set(d, c));
}

/// float or double: the coefficients and bounds of either.
template <class D>
inline constexpr bool is_float = sizeof(hn::TFromD<D>) == sizeof(float);

/// The bits of a T's fraction: 23 or 52.
template <class D>
inline constexpr int fraction_bits = std::numeric_limits<hn::TFromD<D>>::digits - 1;

/// 1.5 * 2^fraction_bits. Numbers of this size have a spacing of 1: adding it rounds to the nearest
/// integer n and leaves n, in two's complement, in the low bits; subtracting it gives n as a T.
template <class D>
inline constexpr hn::TFromD<D> shifter = hn::TFromD<D>(is_float<D> ? 0x1.8p23 : 0x1.8p52);

/// ln 2 in two parts, the first so short that its product with any exponent is exact.
template <class D>
inline constexpr hn::TFromD<D> ln2_high = hn::TFromD<D>(is_float<D> ? 0x1.62e4p-1
                                                                    : 0x1.62e42fefa38p-1);
template <class D>
inline constexpr hn::TFromD<D> ln2_low = hn::TFromD<D>(is_float<D> ? 0x1.7f7d1cp-20
                                                                   : 0x1.ef35793c7673p-45);

/// The bit patterns of the lanes, as unsigned integers.
template <class D, class V = hn::Vec<D>>
HWY_INLINE auto bits(D, V x) {
  return hn::BitCast(hn::RebindToUnsigned<D>(), x);
}

/// Whether Min and Max, given a NaN as second argument, return it. Vector instructions do (x86 and
/// WASM return the second argument, ARM any NaN), Highway's own scalar code returns the other one.
inline constexpr bool min_keeps_nan = (HWY_ARCH_X86 || HWY_ARCH_WASM || HWY_ARCH_ARM) &&
                                      HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;

/// The smaller, or the larger, of x and a bound; NaN where x is NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_most(D d, V x, hn::TFromD<D> bound) {
  const V b = hn::Set(d, bound);
  return min_keeps_nan ? hn::Min(b, x) : hn::IfThenElse(hn::Gt(x, b), b, x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V at_least(D d, V x, hn::TFromD<D> bound) {
  const V b = hn::Set(d, bound);
  return min_keeps_nan ? hn::Max(b, x) : hn::IfThenElse(hn::Lt(x, b), b, x);
}

/// x held between two bounds; NaN where x is NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V clamp(D d, V x, hn::TFromD<D> low, hn::TFromD<D> high) {
  return at_most(d, at_least(d, x, low), high);
}

}  // namespace hindsight::simd::detail
