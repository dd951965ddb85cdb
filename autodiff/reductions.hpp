// Sums, means and maxima over axes, and softmax and its relatives along one.
//
// Each takes an optional mask, a tensor whose axes are among x's: not 0 where an element counts. A
// mask selects: what x holds at a masked place is never looked at, and gets exactly no gradient.
#pragma once

#include <cstdint>

#include "autodiff/kernels/softmax.hpp"
#include "autodiff/views.hpp"

namespace hindsight {

template <class, class>
struct sum_axis_not_in_tensor;
template <class, class>
struct mean_axis_not_in_tensor;
template <class, class>
struct max_axis_not_in_tensor;
template <class, class>
struct softmax_axis_not_in_tensor;
template <class, class>
struct log_softmax_axis_not_in_tensor;
template <class, class>
struct logsumexp_axis_not_in_tensor;
template <class, class>
struct argmax_axis_not_in_tensor;
template <class, class>
struct mask_needs_axes_of_the_tensor;
template <class, class>
struct mask_does_not_mix_float_and_double;

/// Every element counts.
struct NoMask {};

namespace detail {

/// A contiguous tensor and how the kernels see it along the axes K: as slices of n elements.
template <class V>
struct Sliced {
  V x;
  kernels::AxisLayout layout;
};

/// Along one axis a tensor is outer x n x inner as it lies; several are brought together at the end.
template <class K, class T, IsAxis... As>
auto sliced(const Var<T, As...>& v) {
  if constexpr (K::rank == 1) {
    return [&]<IsAxis A>(Axes<A>) {
      constexpr std::size_t axis = index_in<A, Axes<As...>>;
      kernels::AxisLayout layout{1, v.extents[axis], 1};
      for (std::size_t d = 0; d < axis; ++d) layout.outer *= v.extents[d];
      for (std::size_t d = axis + 1; d < sizeof...(As); ++d) layout.inner *= v.extents[d];
      return Sliced<Var<T, As...>>{contiguous(v), layout};
    }(K{});
  } else {
    return [&]<IsAxis... Ks, IsAxis... Rest>(Axes<Ks...>, Axes<Rest...>) {
      const std::size_t n = (std::size_t{1} * ... * v.template extent<Ks>());
      const std::size_t outer = (std::size_t{1} * ... * v.template extent<Rest>());
      return Sliced<Var<T, Rest..., Ks...>>{contiguous(transpose<Rest..., Ks...>(v)), {outer, n, 1}};
    }(K{}, Without<Axes<As...>, K>{});
  }
}

/// The mask as the kernels want it: spread over x's axes, or null.
template <class T, IsAxis... As>
const T* mask_over(const Var<T, As...>&, NoMask) {
  return nullptr;
}
template <class T, IsAxis... As, TensorLike M>
const T* mask_over(const Var<T, As...>& x, const M& mask) {
  const auto m = as_var(mask);
  using Shape = typename VarOf<M>::Shape;
  if constexpr (!is_subset<Shape, Axes<As...>>) {
    (void)sizeof(mask_needs_axes_of_the_tensor<Spelled<M>, Tensor<As...>>);
    return nullptr;
  } else if constexpr (!std::same_as<typename VarOf<M>::Scalar, T>) {
    (void)sizeof(mask_does_not_mix_float_and_double<VarLike<M>, Var<T, As...>>);
    return nullptr;
  } else {
    m.check();
    compare_extents<Axes<As...>, Shape>(x.extents, m.extents, "mask");
    return spread_over<As...>(x.extents, m).value;
  }
}

/// A tensor for what is left of x without the axes K.
template <class K, class T, IsAxis... As>
auto reduced(const Var<T, As...>& x) {
  return [&]<IsAxis... Rest>(Axes<Rest...>) {
    return result<T, Rest...>({x.template extent<Rest>()...}, x);
  }(Without<Axes<As...>, K>{});
}

/// The axes to reduce over: those named, or all.
template <class X, IsAxis... K>
using Over = std::conditional_t<sizeof...(K) == 0, typename ExprOf<X>::Shape, Axes<K...>>;

}  // namespace detail

/// Sum over the named axes, over all of them where none is named; 0 where nothing is kept.
template <IsAxis... K, TensorLike X, class Mask = NoMask>
auto sum(const X& operand, const Mask& mask = {}, Where where = Where::caller()) {
  using Over = detail::Over<X, K...>;
  if constexpr (!is_subset<Over, typename detail::ExprOf<X>::Shape>) {
    (void)sizeof(sum_axis_not_in_tensor<Tensor<K...>, detail::Spelled<X>>);
    return operand;
  } else {
    const auto [x, layout] = detail::sliced<Over>(detail::as_var(operand));
    const auto* kept = detail::mask_over(x, mask);
    const auto y = detail::reduced<Over>(x);
    kernels::sum(layout, x.value, kept, y.value);
    return detail::record("sum(%0)", where, y, [x = x, layout = layout, kept, y] {
      kernels::sum_backward(layout, kept, y.gradient, x.gradient);
    }, x);
  }
}

/// Mean over the named axes, over all of them where none is named; 0 where nothing is kept.
template <IsAxis... K, TensorLike X, class Mask = NoMask>
auto mean(const X& operand, const Mask& mask = {}, Where where = Where::caller()) {
  using Over = detail::Over<X, K...>;
  if constexpr (!is_subset<Over, typename detail::ExprOf<X>::Shape>) {
    (void)sizeof(mean_axis_not_in_tensor<Tensor<K...>, detail::Spelled<X>>);
    return operand;
  } else {
    const auto [x, layout] = detail::sliced<Over>(detail::as_var(operand));
    const auto* kept = detail::mask_over(x, mask);
    const auto y = detail::reduced<Over>(x);
    kernels::mean(layout, x.value, kept, y.value);
    return detail::record("mean(%0)", where, y, [x = x, layout = layout, kept, y] {
      kernels::mean_backward(layout, kept, y.gradient, x.gradient);
    }, x);
  }
}

/// Maximum over the named axes, over all of them where none is named. The gradient goes to the first
/// of equal maxima; 0 where nothing is kept, as a read of nothing is. With a mask the axes are named:
/// max(a, b) is the larger of two, element by element.
template <IsAxis... K, TensorLike X, class Mask = NoMask>
  requires(sizeof...(K) > 0 || std::same_as<Mask, NoMask>)
auto max(const X& operand, const Mask& mask = {}, Where where = Where::caller()) {
  using Over = detail::Over<X, K...>;
  if constexpr (!is_subset<Over, typename detail::ExprOf<X>::Shape>) {
    (void)sizeof(max_axis_not_in_tensor<Tensor<K...>, detail::Spelled<X>>);
    return operand;
  } else {
    const auto [x, layout] = detail::sliced<Over>(detail::as_var(operand));
    const auto* kept = detail::mask_over(x, mask);
    const auto y = detail::reduced<Over>(x);
    auto* places = Tape::current().allocate<std::int32_t>(y.size());
    kernels::max(layout, x.value, kept, y.value, places);
    return detail::record("max(%0)", where, y, [x = x, layout = layout, places, y] {
      kernels::max_backward(layout, places, y.gradient, x.gradient);
    }, x);
  }
}

/// log sum exp over the named axes, over all of them where none is named, without overflow; ties share
/// the gradient. -inf where nothing is kept.
template <IsAxis... K, TensorLike X, class Mask = NoMask>
auto logsumexp(const X& operand, const Mask& mask = {}, Where where = Where::caller()) {
  using Over = detail::Over<X, K...>;
  if constexpr (!is_subset<Over, typename detail::ExprOf<X>::Shape>) {
    (void)sizeof(logsumexp_axis_not_in_tensor<Tensor<K...>, detail::Spelled<X>>);
    return operand;
  } else {
    const auto [x, layout] = detail::sliced<Over>(detail::as_var(operand));
    const auto* kept = detail::mask_over(x, mask);
    const auto y = detail::reduced<Over>(x);
    kernels::logsumexp(layout, x.value, kept, y.value);
    return detail::record("logsumexp(%0)", where, y, [x = x, layout = layout, kept, y] {
      kernels::logsumexp_backward(layout, x.value, kept, y.value, y.gradient, x.gradient);
    }, x);
  }
}

/// softmax over axis A: alpha_i = exp(e_i) / sum_k exp(e_k). A masked place gets exactly 0, and so
/// does every place where nothing is kept.
template <IsAxis A, TensorLike X, class Mask = NoMask>
auto softmax(const X& operand, const Mask& mask = {}, Where where = Where::caller()) {
  if constexpr (!contains<A, typename detail::ExprOf<X>::Shape>) {
    (void)sizeof(softmax_axis_not_in_tensor<A, detail::Spelled<X>>);
    return operand;
  } else {
    const auto [x, layout] = detail::sliced<Axes<A>>(detail::as_var(operand));
    auto y = detail::like(x);
    kernels::softmax(layout, x.value, detail::mask_over(x, mask), y.value);
    return detail::record("softmax(%0)", where, y, [x = x, layout = layout, y] {
      kernels::softmax_backward(layout, y.value, y.gradient, x.gradient);
    }, x);
  }
}

/// log softmax over axis A: e_i - log sum_k exp(e_k). A masked place gets -inf and no gradient.
template <IsAxis A, TensorLike X, class Mask = NoMask>
auto log_softmax(const X& operand, const Mask& mask = {}, Where where = Where::caller()) {
  if constexpr (!contains<A, typename detail::ExprOf<X>::Shape>) {
    (void)sizeof(log_softmax_axis_not_in_tensor<A, detail::Spelled<X>>);
    return operand;
  } else {
    const auto [x, layout] = detail::sliced<Axes<A>>(detail::as_var(operand));
    auto y = detail::like(x);
    kernels::log_softmax(layout, x.value, detail::mask_over(x, mask), y.value);
    return detail::record("log_softmax(%0)", where, y, [x = x, layout = layout, y] {
      kernels::log_softmax_backward(layout, y.value, y.gradient, x.gradient);
    }, x);
  }
}

/// Where the maximum over axis A is, first of equals, row-major over the other axes; -1 where nothing
/// is kept. Numbers, not a variable: a hard choice has no gradient.
template <IsAxis A, TensorLike X, class Mask = NoMask>
std::vector<std::int32_t> argmax(const X& operand, const Mask& mask = {}) {
  if constexpr (!contains<A, typename detail::ExprOf<X>::Shape>) {
    (void)sizeof(argmax_axis_not_in_tensor<A, detail::Spelled<X>>);
    return {};
  } else {
    const NoRecording guard;
    const auto [x, layout] = detail::sliced<Axes<A>>(detail::as_var(operand));
    std::vector<std::int32_t> where(layout.results());
    const auto y = detail::reduced<Axes<A>>(x);
    kernels::max(layout, x.value, detail::mask_over(x, mask), y.value, where.data());
    return where;
  }
}

}  // namespace hindsight
