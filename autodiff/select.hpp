// select(mask, a, b): one of two, element by element.
#pragma once

#include "autodiff/elementwise.hpp"

namespace hindsight {

template <class, class>
struct select_needs_the_masks_axes_inside_the_branches;
template <class, class>
struct select_needs_one_branchs_axes_inside_the_others;
template <class, class, class>
struct select_does_not_mix_float_and_double;

/// a where the mask is not 0, b elsewhere. The branch that was not chosen is cut off whole: an inf
/// or NaN in it does not reach a gradient. (Multiplying by a 0/1 mask would: 0 * inf is NaN.)
/// The branches' axes nest, as in an addition, and the mask's axes are among the result's.
template <TensorLike M, class A, class B>
  requires Operands<A, B>
auto select(const M& mask, const A& a, const B& b) {
  using X = detail::OperandOf<A, B>;
  using Y = detail::OperandOf<B, A>;
  const auto x = detail::as_operand(a, b);
  if constexpr (!detail::same_scalar<X, Y> || !detail::same_scalar<M, X>) {
    (void)sizeof(select_does_not_mix_float_and_double<detail::VarLike<M>, detail::VarLike<X>, detail::VarLike<Y>>);
    return x;
  } else if constexpr (!detail::nest<X, Y>) {
    (void)sizeof(select_needs_one_branchs_axes_inside_the_others<detail::Spelled<X>, detail::Spelled<Y>>);
    return x;
  } else {
    const auto y = detail::as_operand(b, a);
    const auto sum = detail::apply_binary(detail::Add{}, x, y, "select");  // its shape is that of the result
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
