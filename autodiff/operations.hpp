// The elementwise operations: each one's value and, beside it, its derivative.
//
// `backward` gets the adjoint dy of the result, the result y and the operands, and returns the
// operands' adjoints. `dear`: y is stored for the backward pass rather than computed again.
#pragma once

#include <array>
#include <cmath>

#include "autodiff/expr.hpp"
#include "autodiff/kernels/math.hpp"

namespace hindsight::detail {

/// Defaults of an operation.
struct Elementwise {
  static constexpr bool dear = false;
  static constexpr bool selects = false;
  /// Whether a gradient passes to an operand.
  static constexpr bool passes_to(std::size_t) { return true; }
  static constexpr Precedence precedence = Precedence::call;
  static constexpr bool associative = true;
};

template <class V>
HWY_INLINE std::array<V, 1> one(V a) {
  return {a};
}
template <class V>
HWY_INLINE std::array<V, 2> both(V a, V b) {
  return {a, b};
}

// ---------------------------------------------------------------- arithmetic

struct Add : Elementwise {
  static constexpr const char* name = "addition";
  static constexpr Precedence precedence = Precedence::sum;
  static constexpr const char* text() { return "%0 + %1"; }
  template <class D, class V>
  HWY_INLINE V forward(D, V a, V b) const {
    return hn::Add(a, b);
  }
  template <class D, class V>
  HWY_INLINE auto backward(D, V dy, V, V, V) const {
    return both(dy, dy);
  }
};

struct Subtract : Elementwise {
  static constexpr const char* name = "subtraction";
  static constexpr Precedence precedence = Precedence::sum;
  static constexpr bool associative = false;
  static constexpr const char* text() { return "%0 - %1"; }
  template <class D, class V>
  HWY_INLINE V forward(D, V a, V b) const {
    return hn::Sub(a, b);
  }
  template <class D, class V>
  HWY_INLINE auto backward(D, V dy, V, V, V) const {
    return both(dy, hn::Neg(dy));
  }
};

struct Multiply : Elementwise {
  static constexpr const char* name = "multiplication";
  static constexpr Precedence precedence = Precedence::product;
  static constexpr const char* text() { return "%0 * %1"; }
  template <class D, class V>
  HWY_INLINE V forward(D, V a, V b) const {
    return hn::Mul(a, b);
  }
  template <class D, class V>
  HWY_INLINE auto backward(D, V dy, V, V a, V b) const {
    return both(hn::Mul(dy, b), hn::Mul(dy, a));
  }
};

struct Divide : Elementwise {
  static constexpr const char* name = "division";
  static constexpr Precedence precedence = Precedence::product;
  static constexpr bool associative = false;
  static constexpr const char* text() { return "%0 / %1"; }
  template <class D, class V>
  HWY_INLINE V forward(D, V a, V b) const {
    return hn::Div(a, b);
  }
  /// d(a/b)/da = 1/b, d(a/b)/db = -(a/b)/b
  template <class D, class V>
  HWY_INLINE auto backward(D, V dy, V y, V, V b) const {
    const V da = hn::Div(dy, b);
    return both(da, hn::Neg(hn::Mul(da, y)));
  }
};

struct Negate : Elementwise {
  static constexpr Precedence precedence = Precedence::product;
  static constexpr const char* text() { return "-%0"; }
  template <class D, class V>
  HWY_INLINE V forward(D, V x) const {
    return hn::Neg(x);
  }
  template <class D, class V>
  HWY_INLINE auto backward(D, V dy, V, V) const {
    return one(hn::Neg(dy));
  }
};

/// The larger of two; a tie's gradient goes to the left one. NaN in either is NaN.
struct Maximum : Elementwise {
  static constexpr const char* name = "max";
  static constexpr const char* text() { return "max(%0, %1)"; }
  template <class D, class V>
  HWY_INLINE V forward(D, V a, V b) const {
    return hn::IfThenElse(left_wins(a, b), a, b);
  }
  template <class D, class V>
  HWY_INLINE auto backward(D, V dy, V, V a, V b) const {
    const auto left = left_wins(a, b);
    return both(hn::IfThenElseZero(left, dy), hn::IfThenZeroElse(left, dy));
  }

 private:
  template <class V>
  static HWY_INLINE auto left_wins(V a, V b) {
    return hn::Or(hn::Ge(a, b), hn::IsNaN(a));
  }
};

/// The smaller of two; a tie's gradient goes to the left one. NaN in either is NaN.
struct Minimum : Elementwise {
  static constexpr const char* name = "min";
  static constexpr const char* text() { return "min(%0, %1)"; }
  template <class D, class V>
  HWY_INLINE V forward(D, V a, V b) const {
    return hn::IfThenElse(left_wins(a, b), a, b);
  }
  template <class D, class V>
  HWY_INLINE auto backward(D, V dy, V, V a, V b) const {
    const auto left = left_wins(a, b);
    return both(hn::IfThenElseZero(left, dy), hn::IfThenZeroElse(left, dy));
  }

 private:
  template <class V>
  static HWY_INLINE auto left_wins(V a, V b) {
    return hn::Or(hn::Le(a, b), hn::IsNaN(a));
  }
};

// ---------------------------------------------------------------- choices

/// A comparison is 1 where it holds and 0 elsewhere, and has no gradient.
struct Comparison : Elementwise {
  static constexpr const char* name = "comparison";
  static constexpr bool passes_to(std::size_t) { return false; }
  static constexpr Precedence precedence = Precedence::comparison;
  static constexpr bool associative = false;
  template <class D, class M>
  static HWY_INLINE auto one_where(D d, M holds) {
    return hn::IfThenElseZero(holds, hn::Set(d, hn::TFromD<D>{1}));
  }
};

struct Less : Comparison {
  static constexpr const char* text() { return "%0 < %1"; }
  template <class D, class V>
  HWY_INLINE V forward(D d, V a, V b) const {
    return one_where(d, hn::Lt(a, b));
  }
};

struct LessEqual : Comparison {
  static constexpr const char* text() { return "%0 <= %1"; }
  template <class D, class V>
  HWY_INLINE V forward(D d, V a, V b) const {
    return one_where(d, hn::Le(a, b));
  }
};

/// a where the condition is not 0, else b. The operand that was not chosen gets no gradient, not
/// even 0 * inf: neither a NaN nor an overflow in it can be seen. Nor does the condition.
struct Select : Elementwise {
  static constexpr bool selects = true;
  static constexpr bool passes_to(std::size_t operand) { return operand > 0; }
  static constexpr const char* text() { return "select(%0, %1, %2)"; }
  template <class D, class V>
  HWY_INLINE V forward(D d, V condition, V a, V b) const {
    return hn::IfThenElse(holds(d, condition), a, b);
  }
  /// The lanes whose adjoint goes to the condition (none is asked for), to a and to b.
  template <class D, class M, class V>
  HWY_INLINE auto chosen(D d, M active, V condition, V, V) const {
    const M holds_here = holds(d, condition);
    return std::array<M, 3>{active, hn::And(active, holds_here), hn::AndNot(holds_here, active)};
  }

 private:
  template <class D, class V>
  static HWY_INLINE auto holds(D d, V condition) {
    return hn::Ne(condition, hn::Zero(d));
  }
};

// ---------------------------------------------------------------- functions

/// An elementwise function of one operand: its name, whether it is stored, its value and d y / d x.
#define HINDSIGHT_FUNCTION(Name, spelling, is_dear, value, derivative)                  \
  struct Name : Elementwise {                                                           \
    static constexpr bool dear = is_dear;                                               \
    static constexpr const char* text() { return spelling "(%0)"; }                      \
    template <class D, class V>                                                         \
    HWY_INLINE V forward([[maybe_unused]] D d, V x) const {                             \
      return value;                                                                     \
    }                                                                                   \
    template <class D, class V>                                                         \
    HWY_INLINE auto backward([[maybe_unused]] D d, V dy, [[maybe_unused]] V y, [[maybe_unused]] V x) const { \
      [[maybe_unused]] const V unit = hn::Set(d, hn::TFromD<D>{1});                     \
      return one(derivative);                                                           \
    }                                                                                   \
  }

HINDSIGHT_FUNCTION(Exp, "exp", true, simd::exp(d, x), hn::Mul(dy, y));
HINDSIGHT_FUNCTION(Log, "log", true, simd::log(d, x), hn::Div(dy, x));
HINDSIGHT_FUNCTION(Log1p, "log1p", true, simd::log1p(d, x), hn::Div(dy, hn::Add(unit, x)));
HINDSIGHT_FUNCTION(Expm1, "expm1", true, simd::expm1(d, x), hn::MulAdd(dy, y, dy));
HINDSIGHT_FUNCTION(Sigmoid, "sigmoid", true, simd::sigmoid(d, x), hn::Mul(hn::Mul(dy, y), hn::Sub(unit, y)));
HINDSIGHT_FUNCTION(Tanh, "tanh", true, simd::tanh(d, x), hn::Mul(dy, hn::NegMulAdd(y, y, unit)));
HINDSIGHT_FUNCTION(Softplus, "softplus", true, simd::softplus(d, x), hn::Mul(dy, simd::sigmoid(d, x)));
HINDSIGHT_FUNCTION(Sin, "sin", true, simd::sin(d, x), hn::Mul(dy, simd::cos(d, x)));
HINDSIGHT_FUNCTION(Cos, "cos", true, simd::cos(d, x), hn::Neg(hn::Mul(dy, simd::sin(d, x))));
HINDSIGHT_FUNCTION(Sqrt, "sqrt", true, hn::Sqrt(x), hn::Div(dy, hn::Add(y, y)));
HINDSIGHT_FUNCTION(Square, "square", false, hn::Mul(x, x), hn::Mul(dy, hn::Add(x, x)));
HINDSIGHT_FUNCTION(Reciprocal, "reciprocal", true, hn::Div(hn::Set(d, hn::TFromD<D>{1}), x),
                   hn::Neg(hn::Mul(dy, hn::Mul(y, y))));
/// |x|; its derivative at 0 is 0.
HINDSIGHT_FUNCTION(Abs, "abs", false, hn::Abs(x),
                   hn::IfThenZeroElse(hn::Eq(x, hn::Zero(d)), hn::CopySign(hn::Abs(dy), hn::Xor(dy, x))));
/// max(x, 0); its derivative at 0 is 0. NaN stays NaN.
HINDSIGHT_FUNCTION(Relu, "relu", false, hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x),
                   hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), dy));

#undef HINDSIGHT_FUNCTION

/// x to a constant power p, lane by lane through std::pow.
struct Power : Elementwise {
  static constexpr bool dear = true;
  double p;
  explicit Power(double exponent) : p(exponent) {}
  std::string text() const { return "pow(%0, " + number_text(p) + ")"; }
  template <class D, class V>
  HWY_INLINE V forward(D d, V x) const {
    return powers(d, x, p);
  }
  template <class D, class V>
  HWY_INLINE auto backward(D d, V dy, V, V x) const {
    using T = hn::TFromD<D>;
    if (p == 0) return one(hn::Zero(d));
    return one(hn::Mul(dy, hn::Mul(hn::Set(d, static_cast<T>(p)), powers(d, x, p - 1))));
  }

 private:
  template <class D, class V>
  static HWY_INLINE V powers(D d, V x, double p) {
    using T = hn::TFromD<D>;
    HWY_ALIGN T lane[HWY_LANES(T)];
    hn::Store(x, d, lane);
    for (T& each : lane) each = std::pow(each, static_cast<T>(p));
    return hn::Load(d, lane);
  }
  static Complex powers(hn::One, Complex x, double p) { return simd::pow(x, p); }
};

}  // namespace hindsight::detail
