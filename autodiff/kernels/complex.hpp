// What expressions are made of, on one complex number: Highway's words and the elementary functions, as
// plain arithmetic. A vector of complex numbers is one of them.
//
// It is there for the complex step (complex_step.hpp): the code that runs on vectors of doubles runs on
// x + i h, and Im f(x + i h) / h is f'(x). So what is analytic is continued to the complex numbers, and
// what is analytic in pieces (an order, abs, max, relu) chooses its piece by the real parts, which is
// right but on the very kink. Where a function of real numbers is NaN, so is its continuation.
#pragma once

#include <complex>
#include <cstddef>

namespace hindsight {

using Complex = std::complex<double>;

namespace hn {

/// The tag of a vector that is one complex number. Its masks are truth values.
struct One {
  using T = Complex;
};

Complex Zero(One);
Complex Set(One, Complex x);
bool FirstN(One, std::size_t count);

Complex Neg(Complex x);
Complex Abs(Complex x);
Complex Sqrt(Complex x);
Complex Add(Complex a, Complex b);
Complex Sub(Complex a, Complex b);
Complex Mul(Complex a, Complex b);
Complex Div(Complex a, Complex b);
Complex MulAdd(Complex a, Complex b, Complex c);     // a b + c
Complex NegMulAdd(Complex a, Complex b, Complex c);  // c - a b

bool Eq(Complex a, Complex b);
bool Ne(Complex a, Complex b);
bool Lt(Complex a, Complex b);
bool Le(Complex a, Complex b);
bool Gt(Complex a, Complex b);
bool Ge(Complex a, Complex b);
bool IsNaN(Complex x);
bool Or(bool a, bool b);
Complex IfThenElse(bool condition, Complex yes, Complex no);
Complex IfThenElseZero(bool condition, Complex yes);
Complex IfThenZeroElse(bool condition, Complex no);

}  // namespace hn

namespace simd {

Complex load_n(hn::One, const Complex* p, std::size_t count);
void store_n(Complex x, hn::One, Complex* p, std::size_t count);

Complex exp(hn::One, Complex x);
Complex expm1(hn::One, Complex x);
Complex log(hn::One, Complex x);
Complex log1p(hn::One, Complex x);
Complex sigmoid(hn::One, Complex x);
Complex softplus(hn::One, Complex x);
Complex tanh(hn::One, Complex x);
Complex sin(hn::One, Complex x);
Complex cos(hn::One, Complex x);
/// x to a constant power p.
Complex pow(Complex x, double p);

}  // namespace simd
}  // namespace hindsight
