// Cross-entropy: the loss of a distribution over classes, from its logits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "autodiff/reductions.hpp"

namespace hindsight {

/// What a target id may be, and how the losses are put together.
struct CrossEntropyOptions {
  /// A position with this target counts for nothing: padding.
  std::int32_t ignored = -1;
  /// s: the target's probability is 1 - s, and s is spread evenly over all classes (Szegedy 2016).
  double smoothing = 0;
  /// The number of tokens to divide by; the counted ones by default. For a batch that is run in
  /// pieces, give the count of the whole.
  std::optional<std::size_t> tokens = {};
};

template <class, class>
struct cross_entropy_axis_not_in_tensor;

/// How many targets are counted.
inline std::size_t counted(std::span<const std::int32_t> targets, std::int32_t ignored = -1) {
  return static_cast<std::size_t>(
      std::count_if(targets.begin(), targets.end(), [ignored](std::int32_t t) { return t != ignored; }));
}

/// Each token's loss, -log softmax<Classes>(logits) at its target, over the logits' other axes; 0
/// for an ignored one, whose logits are not looked at. Targets are row-major over those axes.
/// Throws Error, naming the position, for a target that is neither a class nor ignored, and for a
/// smoothing outside [0, 1).
template <IsAxis Classes, TensorLike X>
auto token_losses(const X& logits, std::span<const std::int32_t> targets, const CrossEntropyOptions& options = {},
                  Where where = Where::caller()) {
  using Shape = typename detail::ExprOf<X>::Shape;
  if constexpr (!contains<Classes, Shape>) {
    (void)sizeof(cross_entropy_axis_not_in_tensor<Classes, detail::Spelled<X>>);
    return logits;
  } else {
    return [&]<IsAxis... Rest>(Axes<Rest...>) {
      using T = typename detail::ExprOf<X>::Scalar;
      if (!(options.smoothing >= 0 && options.smoothing < 1))
        throw Error("cross_entropy: the smoothing is " + std::to_string(options.smoothing) +
                    ", expected at least 0 and less than 1");
      const auto x = detail::contiguous(transpose<Rest..., Classes>(detail::as_var(logits)));
      auto y = detail::reduced<Axes<Classes>>(x);
      if (targets.size() != y.size())
        throw Error("cross_entropy: " + std::to_string(targets.size()) + " targets for " + std::to_string(y.size()) +
                    " positions (" + detail::shape_name(Axes<Rest...>{}) + ")");
      const kernels::CrossEntropy plan{y.size(), x.extents.back(), options.ignored, options.smoothing};
      kernels::check_targets(plan, targets.data());
      auto* kept = Tape::current().allocate<std::int32_t>(targets.size());
      std::copy(targets.begin(), targets.end(), kept);
      T* lse = Tape::current().allocate<T>(y.size());
      kernels::cross_entropy(plan, x.value, kept, y.value, lse);
      return detail::record("token_losses(%0)", where, y, [=] {
        kernels::cross_entropy_backward(plan, x.value, kept, lse, y.gradient, x.gradient);
      }, x);
    }(Without<Shape, Axes<Classes>>{});
  }
}

/// The mean loss of the counted tokens: every token weighs the same, whatever sequence it is in. 0,
/// with zero gradients, where none is counted. Throws Error where `tokens` is 0 and some are.
template <IsAxis Classes, TensorLike X>
auto cross_entropy(const X& logits, std::span<const std::int32_t> targets, const CrossEntropyOptions& options = {},
                  Where where = Where::caller()) {
  const std::size_t own = counted(targets, options.ignored), tokens = options.tokens.value_or(own);
  if (tokens == 0 && own > 0)
    throw Error("cross_entropy: tokens = 0, but " + std::to_string(own) + " targets are counted");
  const auto losses = token_losses<Classes>(logits, targets, options, where);
  using T = typename detail::ExprOf<X>::Scalar;
  return Var<T>(sum(losses) * (tokens == 0 ? 0.0 : 1.0 / static_cast<double>(tokens)));
}

namespace detail {

/// y softplus(-x) + (1 - y) softplus(x). What has no weight is left out: 0 * inf is NaN.
struct BinaryCrossEntropy : Elementwise {
  static constexpr const char* name = "binary_cross_entropy";
  static constexpr const char* text() { return "binary_cross_entropy(%0, %1)"; }
  template <class D, class V>
  HWY_INLINE V forward(D d, V x, V y) const {
    const V no = hn::Sub(hn::Set(d, hn::TFromD<D>{1}), y);
    return hn::Add(weighted(d, y, simd::softplus(d, hn::Neg(x))), weighted(d, no, simd::softplus(d, x)));
  }
  /// d/dx = (1 - y) sigmoid(x) - y sigmoid(-x), exact where either is small; d/dy = -x
  template <class D, class V>
  HWY_INLINE auto backward(D d, V dy, V, V x, V y) const {
    const V no = hn::Sub(hn::Set(d, hn::TFromD<D>{1}), y);
    const V slope = hn::Sub(hn::Mul(no, simd::sigmoid(d, x)), hn::Mul(y, simd::sigmoid(d, hn::Neg(x))));
    return both(hn::Mul(dy, slope), hn::Neg(hn::Mul(dy, x)));
  }

 private:
  template <class D, class V>
  static HWY_INLINE V weighted(D d, V weight, V loss) {
    return hn::IfThenZeroElse(hn::Eq(weight, hn::Zero(d)), hn::Mul(weight, loss));
  }
};

}  // namespace detail

/// -y log sigmoid(x) - (1 - y) log(1 - sigmoid(x)), from the logit x, elementwise and lazy: exact
/// however sure the answer is, 0 with gradient 0 at an infinite logit that is right.
template <TensorLike X, class Y>
  requires Operands<X, Y>
auto binary_cross_entropy(const X& logit, const Y& target) {
  (void)sizeof(detail::Fitting<detail::BinaryCrossEntropy, X, Y>);
  return detail::apply_binary(detail::BinaryCrossEntropy{}, logit, target);
}

}  // namespace hindsight
