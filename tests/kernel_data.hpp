// What the kernel tests share: sizes around the vector width, numbers to work on, and bits.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "autodiff/kernels/simd.hpp"
#include "autodiff/random.hpp"

namespace hindsight {

template <class T>
inline constexpr T inf = std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

/// 0, 1, around one and two vectors, odd, and longer than any unrolled loop.
template <class T>
std::vector<std::size_t> sizes() {
  const std::size_t width = lanes<T>();
  return {0, 1, 2, 3, width - 1, width, width + 1, 2 * width + 1, 17, 31, 67};
}

/// n numbers in [-2, 2), different for different names.
template <class T>
std::vector<T> numbers(std::size_t n, std::string_view name) {
  std::vector<T> v(n);
  fill_uniform(n, T(-2), T(2), Random{1}.child(name), v.data());
  return v;
}

/// n zeros and ones.
template <class T>
std::vector<T> random_mask(std::size_t n) {
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i) v[i] = static_cast<T>(Random{2}.below(2, i));
  return v;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

}  // namespace hindsight
