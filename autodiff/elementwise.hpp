// What a program writes: + - * /, comparisons and functions, on variables, parameters,
// expressions and numbers.
//
// Operands broadcast by name, and only where one operand's axes are a subset of the other's; the
// result has the larger one's axes in its order (the left one's where they are the same). Anything
// else needs a word: contract, outer, rename, transpose.
#pragma once

#include <type_traits>

#include "autodiff/operations.hpp"
#include "autodiff/statement.hpp"

namespace hindsight {

/// Something an expression can be made of, besides numbers. Lazy sums of products are given a name
/// first (see contract.hpp).
template <class X>
concept TensorLike = requires(const X& x) { as_expr(x); };

/// An operand as an expression: variables and parameters are leaves.
template <class T, IsAxis... As>
Expr<detail::Leaf<T, As...>, T, As...> as_expr(const Var<T, As...>& v) {
  return {{v}, v.extents};
}
template <class T, IsAxis... As>
auto as_expr(const Parameter<T, As...>& p) {
  return as_expr(p.var());
}
template <class N, class T, IsAxis... As>
Expr<N, T, As...> as_expr(const Expr<N, T, As...>& e) {
  return e;
}

namespace detail {

template <class X>
using ExprOf = std::remove_cvref_t<decltype(as_expr(std::declval<const X&>()))>;

template <class X>
struct AsTensor;
template <class N, class T, IsAxis... As>
struct AsTensor<Expr<N, T, As...>> {
  using type = Tensor<As...>;
  using var = Var<T, As...>;
};

/// How a tensor's shape is spelled in a compile error.
template <class X>
using Spelled = typename AsTensor<ExprOf<X>>::type;
/// The same with its scalar.
template <class X>
using VarLike = typename AsTensor<ExprOf<X>>::var;

template <class L, class R>
inline constexpr bool same_scalar = std::same_as<typename ExprOf<L>::Scalar, typename ExprOf<R>::Scalar>;

template <class L, class R>
inline constexpr bool nest = is_subset<typename ExprOf<L>::Shape, typename ExprOf<R>::Shape> ||
                             is_subset<typename ExprOf<R>::Shape, typename ExprOf<L>::Shape>;

template <class L, class R>
using Larger = std::conditional_t<is_subset<R, L>, L, R>;

/// Compares the extents of the dynamic axes that both have.
template <class To, class From, std::size_t N, std::size_t M>
void compare_extents(const Extents<N>& to, const Extents<M>& from, const char* operation) {
  [&]<IsAxis... As>(Axes<As...>) {
    (
        [&] {
          if constexpr (contains<As, From> && is_dynamic<As>) {
            const std::size_t a = to[index_in<As, To>], b = from[index_in<As, From>];
            if (a != b) extents_differ(operation, axis_name<As>(), a, b);
          }
        }(),
        ...);
  }(To{});
}

template <class Op, class T, IsAxis... As, std::size_t N, class... Nodes>
auto applied(Op op, Axes<As...>, const Extents<N>& extents, Nodes... nodes) {
  using Node_ = Call<T, Op, Nodes...>;
  return Expr<Node_, T, As...>{Node_{op, {nodes...}}, extents};
}

template <class Op, class X>
auto apply_unary(Op op, const X& operand) {
  const auto x = as_expr(operand);
  using E = std::remove_cvref_t<decltype(x)>;
  return applied<Op, typename E::Scalar>(op, typename E::Shape{}, x.extents, x.node);
}

/// An operand as an expression; a number takes the scalar of the other operand.
template <class X, class Other>
auto as_operand(const X& x, const Other&) {
  if constexpr (TensorLike<X>) {
    return as_expr(x);
  } else {
    using T = typename ExprOf<Other>::Scalar;
    return Expr<Number<T>, T>{{static_cast<T>(x)}, {}};
  }
}
template <class X, class Other>
using OperandOf = decltype(as_operand(std::declval<const X&>(), std::declval<const Other&>()));

template <class Op, class L, class R>
auto apply_binary(Op op, const L& left, const R& right, const char* operation = Op::name) {
  const auto a = as_operand(left, right);
  const auto b = as_operand(right, left);
  using A = std::remove_cvref_t<decltype(a)>;
  using B = std::remove_cvref_t<decltype(b)>;
  if constexpr (!same_scalar<A, B> || !nest<A, B>) {
    return a;  // the caller tells
  } else if constexpr (is_subset<typename B::Shape, typename A::Shape>) {
    auto extents = a.extents;
    compare_extents<typename A::Shape, typename B::Shape>(extents, b.extents, operation);
    return applied<Op, typename A::Scalar>(op, typename A::Shape{}, extents, a.node, b.node);
  } else {
    auto extents = b.extents;
    compare_extents<typename B::Shape, typename A::Shape>(extents, a.extents, operation);
    return applied<Op, typename A::Scalar>(op, typename B::Shape{}, extents, a.node, b.node);
  }
}

}  // namespace detail

template <class Operation, class, class>
struct operation_needs_one_operands_axes_inside_the_others;
template <class Operation, class, class>
struct operation_does_not_mix_float_and_double;

namespace detail {

template <class Op, class A, class B>
using FittingExprs = std::conditional_t<
    !same_scalar<A, B>, operation_does_not_mix_float_and_double<Op, VarLike<A>, VarLike<B>>,
    std::conditional_t<!nest<A, B>, operation_needs_one_operands_axes_inside_the_others<Op, Spelled<A>, Spelled<B>>,
                       Op>>;

/// The operation if its operands fit, else a type that is not defined: a shape mistake is told at the
/// boundary, and the first line of the compiler's message says what is wrong.
template <class Op, class L, class R>
using Fitting = FittingExprs<Op, OperandOf<L, R>, OperandOf<R, L>>;

template <class X>
concept Operand = TensorLike<X> || std::is_arithmetic_v<X>;

}  // namespace detail

/// Two tensors, or a tensor and a number.
template <class L, class R>
concept Operands = detail::Operand<L> && detail::Operand<R> && (TensorLike<L> || TensorLike<R>);

/// Elementwise, broadcast by name (see the top): a + b, derivatives 1 and 1.
template <class L, class R>
  requires Operands<L, R>
auto operator+(const L& left, const R& right) {
  (void)sizeof(detail::Fitting<detail::Add, L, R>);
  return detail::apply_binary(detail::Add{}, left, right);
}
/// a - b, derivatives 1 and -1.
template <class L, class R>
  requires Operands<L, R>
auto operator-(const L& left, const R& right) {
  (void)sizeof(detail::Fitting<detail::Subtract, L, R>);
  return detail::apply_binary(detail::Subtract{}, left, right);
}
/// a b, derivatives b and a.
template <class L, class R>
  requires Operands<L, R>
auto operator*(const L& left, const R& right) {
  (void)sizeof(detail::Fitting<detail::Multiply, L, R>);
  return detail::apply_binary(detail::Multiply{}, left, right);
}
/// a / b, derivatives 1 / b and -a / b^2.
template <class L, class R>
  requires Operands<L, R>
auto operator/(const L& left, const R& right) {
  (void)sizeof(detail::Fitting<detail::Divide, L, R>);
  return detail::apply_binary(detail::Divide{}, left, right);
}
/// The larger one. At ties the gradient goes to the left one; NaN in either is NaN.
template <class L, class R>
  requires Operands<L, R>
auto max(const L& left, const R& right) {
  (void)sizeof(detail::Fitting<detail::Maximum, L, R>);
  return detail::apply_binary(detail::Maximum{}, left, right);
}
/// The smaller one. At ties the gradient goes to the left one; NaN in either is NaN.
template <class L, class R>
  requires Operands<L, R>
auto min(const L& left, const R& right) {
  (void)sizeof(detail::Fitting<detail::Minimum, L, R>);
  return detail::apply_binary(detail::Minimum{}, left, right);
}
/// 1 where a < b, else 0, also where either is NaN. No gradient passes, as with all comparisons.
template <class L, class R>
  requires Operands<L, R>
auto operator<(const L& left, const R& right) {
  (void)sizeof(detail::Fitting<detail::Less, L, R>);
  return detail::apply_binary(detail::Less{}, left, right);
}
/// 1 where a <= b, else 0.
template <class L, class R>
  requires Operands<L, R>
auto operator<=(const L& left, const R& right) {
  (void)sizeof(detail::Fitting<detail::LessEqual, L, R>);
  return detail::apply_binary(detail::LessEqual{}, left, right);
}
/// 1 where a > b, else 0.
template <class L, class R>
  requires Operands<L, R>
auto operator>(const L& left, const R& right) {
  return right < left;
}
/// 1 where a >= b, else 0.
template <class L, class R>
  requires Operands<L, R>
auto operator>=(const L& left, const R& right) {
  return right <= left;
}

#define HINDSIGHT_UNARY(function, Op)           \
  template <TensorLike X>                       \
  auto function(const X& x) {                   \
    return detail::apply_unary(detail::Op{}, x); \
  }

/// -x, derivative -1.
HINDSIGHT_UNARY(operator-, Negate)
/// e^x, its own derivative.
HINDSIGHT_UNARY(exp, Exp)
/// The natural logarithm, derivative 1 / x: -inf at 0, NaN below.
HINDSIGHT_UNARY(log, Log)
/// log(1 + x), exact for small x; derivative 1 / (1 + x).
HINDSIGHT_UNARY(log1p, Log1p)
/// e^x - 1, exact for small x; derivative e^x.
HINDSIGHT_UNARY(expm1, Expm1)
/// 1 / (1 + e^-x), derivative y (1 - y).
HINDSIGHT_UNARY(sigmoid, Sigmoid)
/// The hyperbolic tangent, derivative 1 - y^2.
HINDSIGHT_UNARY(tanh, Tanh)
/// log(1 + e^x), derivative sigmoid(x).
HINDSIGHT_UNARY(softplus, Softplus)
/// The sine, derivative cos x.
HINDSIGHT_UNARY(sin, Sin)
/// The cosine, derivative -sin x.
HINDSIGHT_UNARY(cos, Cos)
/// The square root, derivative 1 / (2 y): infinite at 0.
HINDSIGHT_UNARY(sqrt, Sqrt)
/// x^2, derivative 2 x.
HINDSIGHT_UNARY(square, Square)
/// 1 / x, derivative -1 / x^2.
HINDSIGHT_UNARY(reciprocal, Reciprocal)
/// |x|, derivative the sign of x: 0 at 0.
HINDSIGHT_UNARY(abs, Abs)
/// max(x, 0), derivative 1 where x > 0, else 0: 0 at 0.
HINDSIGHT_UNARY(relu, Relu)
#undef HINDSIGHT_UNARY

/// x^p for a constant p, derivative p x^(p - 1); 0 for p = 0.
template <TensorLike X>
auto pow(const X& x, double p) {
  return detail::apply_unary(detail::Power(p), x);
}

}  // namespace hindsight
