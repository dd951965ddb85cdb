// The exponential and what is built of it: exp, expm1, sigmoid, tanh.
//
// All four start from  x = n ln2 + r,  so that  e^x = 2^n (1 + p)  with the small p = e^r - 1.
#pragma once

#include "autodiff/kernels/math_common.hpp"

namespace hindsight::simd {

namespace detail {

/// e^x = 2^n (1 + p), with n in the low bits and sqrt(1/2) <= 1 + p <= sqrt(2).
template <class D>
struct Exponential {
  hn::Vec<hn::RebindToUnsigned<D>> n;
  hn::Vec<D> p;
};

/// For any x whose exponential is not far outside T's range. The reduction is Cody and Waite's.
template <class D, class V = hn::Vec<D>>
HWY_INLINE Exponential<D> exponential(D d, V x) {
  const V log2_e = hn::Set(d, hn::TFromD<D>(1.4426950408889634));
  const V shifted = hn::MulAdd(x, log2_e, hn::Set(d, shifter<D>));
  const V n = hn::Sub(shifted, hn::Set(d, shifter<D>));
  V r = hn::NegMulAdd(n, hn::Set(d, ln2_high<D>), x);
  r = hn::NegMulAdd(n, hn::Set(d, ln2_low<D>), r);
  V q;
  if constexpr (is_float<D>) {
    q = polynomial(d, r, 0.49999997f, 0.16666539f, 0.0416677482f, 0.00836708769f, 0.00138378586f);
  } else {
    q = polynomial(d, r, 0.5, 0.16666666666666677, 0.041666666666666692, 0.0083333333333218025,
                   0.0013888888888879166, 0.00019841269884588109, 2.4801587291610019e-5,
                   2.7557246514014825e-6, 2.7557339795408797e-7, 2.5108072349155655e-8,
                   2.0884522500403342e-9);
  }
  return {bits(d, shifted), hn::MulAdd(q, hn::Mul(r, r), r)};
}

/// 2^n for an n in the low bits; infinity if n is one more than a T's exponent can be.
template <class D, class N>
HWY_INLINE hn::Vec<D> power_of_two(D d, N n) {
  return hn::BitCast(d, hn::Add(hn::ShiftLeft<fraction_bits<D>>(n), bits(d, hn::Set(d, 1))));
}

/// Here e^x has left T's range, and n is one more than a T's exponent can be.
template <class D>
inline constexpr hn::TFromD<D> exp_overflows = is_float<D> ? 89 : 710;

/// Here e^x is less than half the smallest subnormal number.
template <class D>
inline constexpr hn::TFromD<D> exp_underflows = is_float<D> ? -104 : -746;

/// Here e^x is nothing beside 1.
template <class D>
inline constexpr hn::TFromD<D> exp_vanishes = -40;

}  // namespace detail

/// e^x, through the subnormal numbers down to 0 and up to infinity.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V exp(D d, V x) {
  x = detail::clamp(d, x, detail::exp_underflows<D>, detail::exp_overflows<D>);
  const auto [n, p] = detail::exponential(d, x);
  const auto half = hn::ShiftRight<1>(n);  // 2^n may be no T, but 2^(n/2) is
  const V part = hn::Mul(hn::Add(hn::Set(d, 1), p), detail::power_of_two(d, half));
  return hn::Mul(part, detail::power_of_two(d, hn::Sub(n, half)));
}

/// e^x - 1 = 2 (2^(n-1) p + (2^(n-1) - 1/2)): halved, 2^n does not overflow before the result does.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V expm1(D d, V x) {
  x = detail::clamp(d, x, detail::exp_vanishes<D>, detail::exp_overflows<D>);
  const auto [n, p] = detail::exponential(d, x);
  const V scale = detail::power_of_two(d, hn::Sub(n, hn::Set(hn::RebindToUnsigned<D>(), 1)));
  const V half = hn::MulAdd(scale, p, hn::Sub(scale, hn::Set(d, hn::TFromD<D>(0.5))));
  return hn::Add(half, half);
}

/// 1 / (1 + e^-x). Each step is monotone, and there is no cancellation for an x of either sign.
/// Where e^-x leaves T's range (x < -88.4 for float) the result, subnormal there, is 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sigmoid(D d, V x) {
  x = detail::clamp(d, hn::Neg(x), detail::exp_vanishes<D>, detail::exp_overflows<D>);
  const auto [n, p] = detail::exponential(d, x);
  const V one = hn::Set(d, 1);
  return hn::Div(one, hn::MulAdd(detail::power_of_two(d, n), hn::Add(one, p), one));
}

/// tanh |x| = m / (2 - m)  with  m = 1 - e^(-2|x|) = (1 - 2^n) - 2^n p,  and the sign is x's own.
/// m has all its digits for a small x. As it rises the numerator rises and the denominator falls,
/// so rounding cannot make the quotient fall or pass 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V tanh(D d, V x) {
  const V a = detail::at_most(d, hn::Abs(x), 20);  // tanh 20 rounds to 1
  const auto [n, p] = detail::exponential(d, hn::Neg(hn::Add(a, a)));
  const V scale = detail::power_of_two(d, n);
  const V m = hn::NegMulAdd(scale, p, hn::Sub(hn::Set(d, 1), scale));
  return hn::CopySign(hn::Div(m, hn::Sub(hn::Set(d, 2), m)), x);
}

}  // namespace hindsight::simd
