// The logarithm and what is built of it: log, log1p, softplus.
//
// All three write their argument as  u = 2^k (1 + f)  with  sqrt(1/2) <= 1 + f < sqrt(2),  so that
// log u = k ln2 + log(1 + f).
#pragma once

#include <limits>

#include "autodiff/kernels/math_exp.hpp"

namespace hindsight::simd {

namespace detail {

/// The k of u = 2^k (1 + f), twice: as a T, and as the integer that adds k to a T's exponent.
template <class D>
struct BinaryExponent {
  hn::Vec<D> k;
  hn::Vec<hn::RebindToUnsigned<D>> step;
};

/// For any u > 0 that is not subnormal.
template <class D, class V = hn::Vec<D>>
HWY_INLINE BinaryExponent<D> binary_exponent(D d, V u) {
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const V sqrt_half = hn::Set(d, hn::TFromD<D>(0.70710678118654752));
  const auto from_sqrt_half = hn::BitCast(di, hn::Sub(bits(d, u), bits(d, sqrt_half)));
  const auto k = hn::BitCast(du, hn::ShiftRight<fraction_bits<D>>(from_sqrt_half));
  const V shifted = hn::BitCast(d, hn::Add(k, bits(d, hn::Set(d, shifter<D>))));
  return {hn::Sub(shifted, hn::Set(d, shifter<D>)), hn::ShiftLeft<fraction_bits<D>>(k)};
}

/// 2^-k x, for an x that is neither 0 nor subnormal unless k = 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V scale_down(D d, V x, const BinaryExponent<D>& e) {
  return hn::BitCast(d, hn::Sub(bits(d, x), e.step));
}

/// k ln2 + log(1 + f)
template <class D, class V = hn::Vec<D>>
HWY_INLINE V sum_of_logs(D d, V k, V f) {
  V q;
  if constexpr (is_float<D>) {
    q = polynomial(d, f, -0.499999881f, 0.333333254f, -0.250015825f, 0.200019747f, -0.166090742f,
                   0.141818032f, -0.13243036f, 0.129046112f, -0.0762188062f);
  } else {
    q = polynomial(
        d, f, -0.50000000000000033, 0.3333333333333201, -0.24999999999976147, 0.20000000000427498,
        -0.16666666671405517, 0.14285714240154188, -0.12499999572079371, 0.111111133046153,
        -0.10000020949129795, 0.090908593744602348, -0.083327366283886192, 0.076926414543067451,
        -0.071528421565968017, 0.066740198222264735, -0.061575689721114879, 0.057127768279324975,
        -0.059223312260658197, 0.065286553034781022, -0.053433053794403641, 0.0203704518242173);
  }
  const V small = hn::MulAdd(q, hn::Mul(f, f), hn::MulAdd(k, hn::Set(d, ln2_low<D>), f));
  return hn::MulAdd(k, hn::Set(d, ln2_high<D>), small);
}

/// log(1 + x) for a finite x > -1. Here f is  2^-k x + (2^-k - 1),  which keeps all of a small x.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V finite_log1p(D d, V x) {
  const V one = hn::Set(d, 1);
  const BinaryExponent<D> e = binary_exponent(d, hn::Add(one, x));
  const V scale = hn::Max(hn::Zero(d), scale_down(d, one, e));  // at the largest k not 2^-k, but 0
  return sum_of_logs(d, e.k, hn::Add(scale_down(d, x, e), hn::Sub(scale, one)));
}

/// log u, given its value for a positive and finite u.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log_or_limit(D d, V u, V finite) {
  using Limits = std::numeric_limits<hn::TFromD<D>>;
  const V zero = hn::Zero(d), infinity = hn::Set(d, Limits::infinity());
  const V of_positive = hn::IfThenElse(hn::Lt(u, infinity), finite, infinity);
  const V of_others =
      hn::IfThenElse(hn::Eq(u, zero), hn::Neg(infinity), hn::Set(d, Limits::quiet_NaN()));
  return hn::IfThenElse(hn::Gt(u, zero), of_positive, of_others);
}

}  // namespace detail

/// log x: -infinity at 0, NaN below.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log(D d, V x) {
  using Limits = std::numeric_limits<hn::TFromD<D>>;
  const auto subnormal = hn::Lt(x, hn::Set(d, Limits::min()));  // made normal by 2^digits
  const V power = hn::Set(d, hn::TFromD<D>(detail::is_float<D> ? 0x1p24 : 0x1p53));
  const V u = hn::IfThenElse(subnormal, hn::Mul(x, power), x);
  const auto e = detail::binary_exponent(d, u);
  const V k = hn::Sub(e.k, hn::IfThenElseZero(subnormal, hn::Set(d, Limits::digits)));
  const V f = hn::Sub(detail::scale_down(d, u, e), hn::Set(d, 1));
  return detail::log_or_limit(d, x, detail::sum_of_logs(d, k, f));
}

/// log(1 + x): -infinity at -1, NaN below.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V log1p(D d, V x) {
  return detail::log_or_limit(d, hn::Add(hn::Set(d, 1), x), detail::finite_log1p(d, x));
}

/// log(1 + e^x) = max(x, 0) + log1p(e^-|x|): the cross-entropy of a logit x whose target is 0, and
/// of a logit -x whose target is 1.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V softplus(D d, V x) {
  const V rest = detail::finite_log1p(d, simd::exp(d, hn::Neg(hn::Abs(x))));
  return hn::Add(detail::at_least(d, x, 0), rest);
}

}  // namespace hindsight::simd
