// The elementary functions as objects, each beside its exact twin, and what their tests share.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "autodiff/kernels/math.hpp"

namespace hindsight::math_test {

// Each function as one object, which takes vectors, and its exact twin on long double.
#define FUNCTION(name, exact)                                     \
  struct name##_function {                                        \
    template <class D>                                            \
    hn::Vec<D> operator()(D d, hn::Vec<D> x) const {              \
      return simd::name(d, x);                                    \
    }                                                             \
    long double operator()(long double x) const { return exact; } \
    static constexpr const char* text = #name;                    \
  };                                                              \
  inline constexpr name##_function name##_of
FUNCTION(exp, std::exp(x));
FUNCTION(expm1, std::expm1(x));
FUNCTION(sigmoid, 1 / (1 + std::exp(-x)));
FUNCTION(tanh, std::tanh(x));
FUNCTION(log, std::log(x));
FUNCTION(log1p, std::log1p(x));
FUNCTION(softplus, std::max(x, 0.0L) + std::log1p(std::exp(-std::abs(x))));
FUNCTION(sin, std::sin(x));
FUNCTION(cos, std::cos(x));
#undef FUNCTION

inline void for_each_function(auto visit) {
  visit(exp_of), visit(expm1_of), visit(sigmoid_of), visit(tanh_of), visit(log_of);
  visit(log1p_of), visit(softplus_of), visit(sin_of), visit(cos_of);
}

template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// f of all of x, whole vectors first and then the tail.
template <class T, class F>
std::vector<T> map(F f, const std::vector<T>& x) {
  const Simd<T> d;
  std::vector<T> y(x.size());
  for (std::size_t i = 0; i < x.size(); i += hn::Lanes(d)) {
    const std::size_t count = x.size() - i;
    simd::store_n(f(d, simd::load_n(d, x.data() + i, count)), d, y.data() + i, count);
  }
  return y;
}

/// f of one number.
template <class T, class F>
T at(F f, std::type_identity_t<T> x) {
  return hn::GetLane(f(Simd<T>(), hn::Set(Simd<T>(), x)));
}

template <class T>
auto bits(T x) {
  return std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(x);
}

/// The distance from y to the exact value in units of a T's last place there; NaN if y is NaN.
template <class T>
double ulps(T y, long double exact) {
  using Limits = std::numeric_limits<T>;
  int exponent = Limits::min_exponent;
  if (std::abs(exact) >= Limits::min()) std::frexp(exact, &exponent);
  return double(std::ldexp(std::abs(y - exact), Limits::digits - exponent));
}

}  // namespace hindsight::math_test
