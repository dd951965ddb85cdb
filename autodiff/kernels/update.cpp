#include "autodiff/kernels/update.hpp"

#include <cmath>

#include "autodiff/kernels/slices.hpp"

namespace hindsight::kernels {
namespace {

constexpr int exponent = 600;
constexpr double up = 0x1p600, down = 0x1p-600, large_from = 0x1p490, small_below = 0x1p-500;

template <class D>
Vec<double> load_as_double(D d, const double* p, std::size_t count) {
  return simd::load_n(d, p, count);
}

template <class D>
Vec<double> load_as_double(D d, const float* p, std::size_t count) {
  const hn::Rebind<float, D> narrow;
  return hn::PromoteTo(d, simd::load_n(narrow, p, count));
}

/// The moments and the step of Adam for one vector of gradients.
template <class T>
struct Adam {
  Simd<T> d;
  Vec<T> beta1, beta2, one_minus_beta1, one_minus_beta2, rate, scale2, epsilon;

  explicit Adam(const AdamStep& s)
      : beta1(set(s.beta1)), beta2(set(s.beta2)), one_minus_beta1(set(1 - s.beta1)),
        one_minus_beta2(set(1 - s.beta2)), rate(set(s.rate / s.correction1)),
        scale2(set(1 / s.correction2)), epsilon(set(s.epsilon)) {}

  Vec<T> set(double value) const { return hn::Set(d, static_cast<T>(value)); }

  /// w after the step; m and v are updated in memory.
  HWY_INLINE Vec<T> operator()(Vec<T> w, Vec<T> g, T* m_at, T* v_at, std::size_t count) const {
    const auto m = hn::MulAdd(beta1, simd::load_n(d, m_at, count), hn::Mul(one_minus_beta1, g));
    const auto v =
        hn::MulAdd(beta2, simd::load_n(d, v_at, count), hn::Mul(one_minus_beta2, hn::Mul(g, g)));
    simd::store_n(m, d, m_at, count);
    simd::store_n(v, d, v_at, count);
    const auto root = hn::Add(hn::Sqrt(hn::Mul(v, scale2)), epsilon);
    return hn::Sub(w, hn::Div(hn::Mul(rate, m), root));
  }
};

}  // namespace

SquareSum& SquareSum::operator+=(const SquareSum& other) {
  small += other.small;
  medium += other.medium;
  large += other.large;
  return *this;
}

double SquareSum::norm() const {
  const double below = std::ldexp(std::sqrt(small), -exponent);
  const double above = std::ldexp(std::sqrt(large), exponent);
  return std::hypot(std::hypot(below, std::sqrt(medium)), above);
}

template <class T>
SquareSum sum_of_squares(std::size_t n, const T* x) {
  const Simd<double> d;
  const auto squares = [&](auto choose) {
    return sum_over(d, n, [&](std::size_t i, std::size_t count) {
      const auto v = choose(load_as_double(d, x + i, count));
      return hn::Mul(v, v);
    });
  };
  // The squares of all floats are medium in double.
  if (sizeof(T) < sizeof(double)) return {.medium = squares([](auto v) { return v; })};

  const auto is_large = [&](auto v) { return hn::Gt(hn::Abs(v), hn::Set(d, large_from)); };
  const auto is_small = [&](auto v) { return hn::Lt(hn::Abs(v), hn::Set(d, small_below)); };
  SquareSum s;
  s.small = squares(
      [&](auto v) { return hn::IfThenElseZero(is_small(v), hn::Mul(v, hn::Set(d, up))); });
  s.medium = squares(
      [&](auto v) { return hn::IfThenZeroElse(hn::Or(is_small(v), is_large(v)), v); });
  s.large = squares(
      [&](auto v) { return hn::IfThenElseZero(is_large(v), hn::Mul(v, hn::Set(d, down))); });
  return s;
}

template <class T>
void sgd(std::size_t n, T* w, const T* g, T* v, const SgdStep& step) {
  const Simd<T> d;
  const auto rate = hn::Set(d, static_cast<T>(step.rate));
  const auto momentum = hn::Set(d, static_cast<T>(step.momentum));
  const auto decay = hn::Set(d, static_cast<T>(step.weight_decay));
  for_each_vector(d, n, [&](std::size_t i, std::size_t count) {
    const auto weight = simd::load_n(d, w + i, count);
    auto move = hn::MulAdd(decay, weight, simd::load_n(d, g + i, count));
    if (v != nullptr) {
      move = hn::MulAdd(momentum, simd::load_n(d, v + i, count), move);
      simd::store_n(move, d, v + i, count);
    }
    simd::store_n(hn::NegMulAdd(rate, move, weight), d, w + i, count);
  });
}

template <class T>
void rmsprop(std::size_t n, T* w, const T* g, T* v, const RmspropStep& step) {
  const Simd<T> d;
  const auto rate = hn::Set(d, static_cast<T>(step.rate));
  const auto decay = hn::Set(d, static_cast<T>(step.decay));
  const auto one_minus_decay = hn::Set(d, static_cast<T>(1 - step.decay));
  const auto epsilon = hn::Set(d, static_cast<T>(step.epsilon));
  const auto weight_decay = hn::Set(d, static_cast<T>(step.weight_decay));
  for_each_vector(d, n, [&](std::size_t i, std::size_t count) {
    const auto weight = simd::load_n(d, w + i, count);
    const auto gradient = hn::MulAdd(weight_decay, weight, simd::load_n(d, g + i, count));
    const auto square = hn::MulAdd(decay, simd::load_n(d, v + i, count),
                                   hn::Mul(one_minus_decay, hn::Mul(gradient, gradient)));
    simd::store_n(square, d, v + i, count);
    const auto root = hn::Add(hn::Sqrt(square), epsilon);
    simd::store_n(hn::Sub(weight, hn::Div(hn::Mul(rate, gradient), root)), d, w + i, count);
  });
}

template <class T>
void adam(std::size_t n, T* w, const T* g, T* m, T* v, const AdamStep& step) {
  const Simd<T> d;
  const Adam<T> stepped(step);
  const auto decay = hn::Set(d, static_cast<T>(step.weight_decay));
  for_each_vector(d, n, [&](std::size_t i, std::size_t count) {
    const auto weight = simd::load_n(d, w + i, count);
    const auto gradient = hn::MulAdd(decay, weight, simd::load_n(d, g + i, count));
    simd::store_n(stepped(weight, gradient, m + i, v + i, count), d, w + i, count);
  });
}

template <class T>
void adamw(std::size_t n, T* w, const T* g, T* m, T* v, const AdamStep& step) {
  const Simd<T> d;
  const Adam<T> stepped(step);
  const auto decay = hn::Set(d, static_cast<T>(step.rate * step.weight_decay));
  for_each_vector(d, n, [&](std::size_t i, std::size_t count) {
    const auto weight = simd::load_n(d, w + i, count);
    const auto decayed = hn::NegMulAdd(decay, weight, weight);
    const auto gradient = simd::load_n(d, g + i, count);
    simd::store_n(stepped(decayed, gradient, m + i, v + i, count), d, w + i, count);
  });
}

#define HINDSIGHT_INSTANTIATE(T)                                                                  \
  template SquareSum sum_of_squares(std::size_t, const T*);                                       \
  template void sgd(std::size_t, T*, const T*, T*, const SgdStep&);                               \
  template void rmsprop(std::size_t, T*, const T*, T*, const RmspropStep&);                       \
  template void adam(std::size_t, T*, const T*, T*, T*, const AdamStep&);                         \
  template void adamw(std::size_t, T*, const T*, T*, T*, const AdamStep&);
HINDSIGHT_INSTANTIATE(float)
HINDSIGHT_INSTANTIATE(double)
#undef HINDSIGHT_INSTANTIATE

}  // namespace hindsight::kernels
