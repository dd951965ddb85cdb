// The one door to Google Highway: static dispatch under one set of compiler flags, and the few
// functions that Highway 1.0.3 does not have yet.
//
// `hn` is Highway's namespace for the target the compiler flags name, and the same words on a complex
// number. Vectors are taken from `Simd<T>`, a full-width tag; `LoadN`/`StoreN` touch exactly `count`
// lanes, so that a tail goes through the very arithmetic of the vector body and gives the same bits.
#pragma once

#ifndef HWY_COMPILE_ONLY_STATIC
#define HWY_COMPILE_ONLY_STATIC
#endif
#include <hwy/highway.h>

#include <concepts>
#include <cstddef>

#include "autodiff/kernels/complex.hpp"

namespace hindsight {

namespace hn {
using namespace hwy::HWY_NAMESPACE;
// Those that complex.hpp has too; left out, its own would hide them.
using hwy::HWY_NAMESPACE::Abs, hwy::HWY_NAMESPACE::Add, hwy::HWY_NAMESPACE::Div, hwy::HWY_NAMESPACE::Eq,
    hwy::HWY_NAMESPACE::FirstN, hwy::HWY_NAMESPACE::Ge, hwy::HWY_NAMESPACE::Gt, hwy::HWY_NAMESPACE::IfThenElse,
    hwy::HWY_NAMESPACE::IfThenElseZero, hwy::HWY_NAMESPACE::IfThenZeroElse, hwy::HWY_NAMESPACE::IsNaN,
    hwy::HWY_NAMESPACE::Le, hwy::HWY_NAMESPACE::Lt, hwy::HWY_NAMESPACE::Mul, hwy::HWY_NAMESPACE::MulAdd,
    hwy::HWY_NAMESPACE::Ne, hwy::HWY_NAMESPACE::Neg, hwy::HWY_NAMESPACE::NegMulAdd, hwy::HWY_NAMESPACE::Or,
    hwy::HWY_NAMESPACE::Set, hwy::HWY_NAMESPACE::Sqrt, hwy::HWY_NAMESPACE::Sub, hwy::HWY_NAMESPACE::Zero;
}  // namespace hn

namespace simd {

template <class T>
struct TagOf {
  using type = hn::ScalableTag<T>;
};
template <>
struct TagOf<Complex> {
  using type = hn::One;
};

}  // namespace simd

template <class T>
using Simd = typename simd::TagOf<T>::type;

template <class T>
using Vec = hn::Vec<Simd<T>>;

/// Lanes of a full vector of T. A compile-time constant on every fixed-width target.
template <class T>
HWY_INLINE constexpr std::size_t lanes() {
  return std::same_as<T, Complex> ? 1 : HWY_LANES(T);
}

namespace simd {

/// The first `count` lanes from `p`, the others zero; reads nothing past them.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> load_n(D d, const T* p, std::size_t count) {
  if (count >= hn::Lanes(d)) return hn::LoadU(d, p);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T buffer[HWY_LANES(T)] = {};
  for (std::size_t i = 0; i < count; ++i) buffer[i] = p[i];
  return hn::Load(d, buffer);
#else
  return hn::MaskedLoad(hn::FirstN(d, count), d, p);
#endif
}

/// Writes the first `count` lanes to `p`, nothing past them.
template <class D, class T = hn::TFromD<D>>
HWY_INLINE void store_n(hn::Vec<D> v, D d, T* p, std::size_t count) {
  if (count >= hn::Lanes(d)) return hn::StoreU(v, d, p);
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T buffer[HWY_LANES(T)];
  hn::Store(v, d, buffer);
  for (std::size_t i = 0; i < count; ++i) p[i] = buffer[i];
#else
  hn::BlendedStore(v, hn::FirstN(d, count), d, p);
#endif
}

/// The sum of all lanes, always added in the same order.
template <class D>
HWY_INLINE hn::TFromD<D> sum_of_lanes(D d, hn::Vec<D> v) {
  return hn::GetLane(hn::SumOfLanes(d, v));
}

}  // namespace simd
}  // namespace hindsight
