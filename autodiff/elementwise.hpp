// What a program writes: + - * /, comparisons, select, and functions, on variables, parameters,
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

template <class Op, class L, class R>
auto apply_binary(Op op, const char* operation, const L& left, const R& right) {
  const auto a = as_expr(left);
  const auto b = as_expr(right);
  using A = std::remove_cvref_t<decltype(a)>;
  using B = std::remove_cvref_t<decltype(b)>;
  if constexpr (is_subset<typename B::Shape, typename A::Shape>) {
    auto extents = a.extents;
    compare_extents<typename A::Shape, typename B::Shape>(extents, b.extents, operation);
    return applied<Op, typename A::Scalar>(op, typename A::Shape{}, extents, a.node, b.node);
  } else {
    auto extents = b.extents;
    compare_extents<typename B::Shape, typename A::Shape>(extents, a.extents, operation);
    return applied<Op, typename A::Scalar>(op, typename B::Shape{}, extents, a.node, b.node);
  }
}

template <class N, class X>
auto number_like(N number, const X&) {
  using T = typename ExprOf<X>::Scalar;
  return Expr<Number<T>, T>{{static_cast<T>(number)}, {}};
}

}  // namespace detail

// A shape mistake is told at the boundary: the unconstrained overload's body names a type that is
// not defined, so that the first line of the compiler's message says what is wrong.
#define HINDSIGHT_BINARY(function, Op, words)                                            \
  template <class, class>                                                                \
  struct words##_needs_one_operands_axes_inside_the_others;                              \
  template <class, class>                                                                \
  struct words##_does_not_mix_float_and_double;                                          \
  template <TensorLike L, TensorLike R>                                                  \
    requires(detail::same_scalar<L, R> && detail::nest<L, R>)                            \
  auto function(const L& left, const R& right) {                                         \
    return detail::apply_binary(detail::Op{}, #words, left, right);                      \
  }                                                                                      \
  template <TensorLike L, TensorLike R>                                                  \
  auto function(const L& left, const R&) {                                               \
    if constexpr (detail::same_scalar<L, R>)                                             \
      (void)sizeof(words##_needs_one_operands_axes_inside_the_others<detail::Spelled<L>, detail::Spelled<R>>); \
    else                                                                                 \
      (void)sizeof(words##_does_not_mix_float_and_double<detail::VarLike<L>, detail::VarLike<R>>); \
    return as_expr(left);                                                                \
  }                                                                                      \
  template <TensorLike L>                                                                \
  auto function(const L& left, double right) {                                           \
    return detail::apply_binary(detail::Op{}, #words, left, detail::number_like(right, left)); \
  }                                                                                      \
  template <TensorLike R>                                                                \
  auto function(double left, const R& right) {                                           \
    return detail::apply_binary(detail::Op{}, #words, detail::number_like(left, right), right); \
  }

HINDSIGHT_BINARY(operator+, Add, addition)
HINDSIGHT_BINARY(operator-, Subtract, subtraction)
HINDSIGHT_BINARY(operator*, Multiply, multiplication)
HINDSIGHT_BINARY(operator/, Divide, division)
HINDSIGHT_BINARY(max, Maximum, max)
HINDSIGHT_BINARY(min, Minimum, min)
HINDSIGHT_BINARY(operator<, Less, comparison)
HINDSIGHT_BINARY(operator<=, LessEqual, comparison_or_equal)
#undef HINDSIGHT_BINARY

template <class L, class R>
  requires(TensorLike<L> || TensorLike<R>)
auto operator>(const L& left, const R& right) {
  return right < left;
}
template <class L, class R>
  requires(TensorLike<L> || TensorLike<R>)
auto operator>=(const L& left, const R& right) {
  return right <= left;
}

#define HINDSIGHT_UNARY(function, Op)           \
  template <TensorLike X>                       \
  auto function(const X& x) {                   \
    return detail::apply_unary(detail::Op{}, x); \
  }

HINDSIGHT_UNARY(operator-, Negate)
HINDSIGHT_UNARY(exp, Exp)
HINDSIGHT_UNARY(log, Log)
HINDSIGHT_UNARY(log1p, Log1p)
HINDSIGHT_UNARY(expm1, Expm1)
HINDSIGHT_UNARY(sigmoid, Sigmoid)
HINDSIGHT_UNARY(tanh, Tanh)
HINDSIGHT_UNARY(softplus, Softplus)
HINDSIGHT_UNARY(sin, Sin)
HINDSIGHT_UNARY(cos, Cos)
HINDSIGHT_UNARY(sqrt, Sqrt)
HINDSIGHT_UNARY(square, Square)
HINDSIGHT_UNARY(reciprocal, Reciprocal)
HINDSIGHT_UNARY(abs, Abs)
HINDSIGHT_UNARY(relu, Relu)
#undef HINDSIGHT_UNARY

/// x^p for a constant p.
template <TensorLike X>
auto pow(const X& x, double p) {
  return detail::apply_unary(detail::Power(p), x);
}

template <class, class>
struct select_needs_the_masks_axes_inside_the_branches;
template <class, class>
struct select_needs_one_branchs_axes_inside_the_others;

/// a where the mask is not 0, b elsewhere. The branch that was not chosen is cut off whole: an inf
/// or NaN in it does not reach a gradient. (Multiplying by a 0/1 mask would: 0 * inf is NaN.)
/// The branches' axes nest, as in an addition, and the mask's axes are among the result's.
template <TensorLike M, class A, class B>
  requires(TensorLike<A> || TensorLike<B>)
auto select(const M& mask, const A& a, const B& b) {
  if constexpr (!TensorLike<A>) {
    return select(mask, detail::number_like(a, b), b);
  } else if constexpr (!TensorLike<B>) {
    return select(mask, a, detail::number_like(b, a));
  } else if constexpr (!detail::nest<A, B>) {
    (void)sizeof(select_needs_one_branchs_axes_inside_the_others<detail::Spelled<A>, detail::Spelled<B>>);
    return as_expr(a);
  } else {
    const auto x = as_expr(a);
    const auto y = as_expr(b);
    const auto sum = detail::apply_binary(detail::Add{}, "select", x, y);  // its shape is that of the result
    using Sum = std::remove_cvref_t<decltype(sum)>;
    if constexpr (is_subset<typename detail::ExprOf<M>::Shape, typename Sum::Shape>) {
      const auto m = as_expr(mask);
      auto extents = sum.extents;
      detail::compare_extents<typename Sum::Shape, typename decltype(m)::Shape>(extents, m.extents, "select");
      return detail::applied<detail::Select, typename Sum::Scalar>(detail::Select{}, typename Sum::Shape{}, extents,
                                                                   m.node, x.node, y.node);
    } else {
      (void)sizeof(select_needs_the_masks_axes_inside_the_branches<detail::Spelled<M>, detail::Spelled<Sum>>);
      return sum;
    }
  }
}

}  // namespace hindsight
