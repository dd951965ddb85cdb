#include "autodiff/kernels/complex.hpp"

#include <cmath>
#include <limits>

namespace hindsight {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

namespace hn {

Complex Zero(One) { return 0; }
Complex Set(One, Complex x) { return x; }
bool FirstN(One, std::size_t count) { return count > 0; }

Complex Neg(Complex x) { return -x; }
Complex Abs(Complex x) { return x.real() < 0 ? -x : x; }
Complex Sqrt(Complex x) { return x.real() < 0 ? nan : std::sqrt(x); }
Complex Add(Complex a, Complex b) { return a + b; }
Complex Sub(Complex a, Complex b) { return a - b; }
Complex Mul(Complex a, Complex b) { return a * b; }
Complex Div(Complex a, Complex b) { return a / b; }
Complex MulAdd(Complex a, Complex b, Complex c) { return a * b + c; }
Complex NegMulAdd(Complex a, Complex b, Complex c) { return c - a * b; }

bool Eq(Complex a, Complex b) { return a == b; }
bool Ne(Complex a, Complex b) { return a != b; }
bool Lt(Complex a, Complex b) { return a.real() < b.real(); }
bool Le(Complex a, Complex b) { return a.real() <= b.real(); }
bool Gt(Complex a, Complex b) { return a.real() > b.real(); }
bool Ge(Complex a, Complex b) { return a.real() >= b.real(); }
bool IsNaN(Complex x) { return x != x; }
bool Or(bool a, bool b) { return a || b; }
Complex IfThenElse(bool condition, Complex yes, Complex no) { return condition ? yes : no; }
Complex IfThenElseZero(bool condition, Complex yes) { return condition ? yes : 0; }
Complex IfThenZeroElse(bool condition, Complex no) { return condition ? 0 : no; }

}  // namespace hn

namespace simd {

Complex load_n(hn::One, const Complex* p, std::size_t) { return *p; }
void store_n(Complex x, hn::One, Complex* p, std::size_t) { *p = x; }

Complex exp(hn::One, Complex x) { return std::exp(x); }

/// e^(a + ib) - 1 = (e^a - 1) cos b - 2 sin^2(b / 2) + i e^a sin b: nothing cancels where x is small.
Complex expm1(hn::One, Complex x) {
  const double a = x.real(), b = x.imag(), half = std::sin(b / 2);
  return {std::expm1(a) * std::cos(b) - 2 * half * half, std::exp(a) * std::sin(b)};
}

Complex log(hn::One, Complex x) { return x.real() < 0 ? nan : std::log(x); }

/// |1 + a + ib| = (1 + a) sqrt(1 + r^2), r = b / (1 + a)
Complex log1p(hn::One, Complex x) {
  const double a = x.real(), b = x.imag(), r = b / (1 + a);
  return 1 + a < 0 ? nan : Complex{std::log1p(a) + std::log1p(r * r) / 2, std::atan2(b, 1 + a)};
}

/// No power of e is larger than 1.
Complex sigmoid(hn::One, Complex x) {
  const Complex small = std::exp(x.real() < 0 ? x : -x);
  return (x.real() < 0 ? small : 1) / (1.0 + small);
}
Complex softplus(hn::One one, Complex x) {
  const Complex small = log1p(one, std::exp(x.real() < 0 ? x : -x));
  return x.real() < 0 ? small : x + small;
}

Complex tanh(hn::One, Complex x) { return std::tanh(x); }
Complex sin(hn::One, Complex x) { return std::sin(x); }
Complex cos(hn::One, Complex x) { return std::cos(x); }

/// |x|^p e^(i p arg x) to the right of the imaginary axis. To its left (-1)^p (-x)^p: (-1)^p is 1 or -1 for
/// a whole p, else NaN.
Complex pow(Complex x, double p) {
  if (p == 0) return 1;
  if (x.real() < 0) return std::pow(-1.0, p) * pow(-x, p);
  return std::polar(std::pow(std::abs(x), p), p * std::arg(x));
}

}  // namespace simd
}  // namespace hindsight
