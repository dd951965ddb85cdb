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
/// Throws Error, naming the position, for a target that is neither a class nor ignored.
template <IsAxis Classes, TensorLike X>
auto token_losses(const X& logits, std::span<const std::int32_t> targets, const CrossEntropyOptions& options = {}) {
  using Shape = typename detail::ExprOf<X>::Shape;
  if constexpr (!contains<Classes, Shape>) {
    (void)sizeof(cross_entropy_axis_not_in_tensor<Classes, detail::Spelled<X>>);
    return logits;
  } else {
    return [&]<IsAxis... Rest>(Axes<Rest...>) {
      using T = typename detail::ExprOf<X>::Scalar;
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
      return detail::record("token_losses(%0)", y, [=] {
        kernels::cross_entropy_backward(plan, x.value, kept, lse, y.gradient, x.gradient);
      }, x);
    }(Without<Shape, Axes<Classes>>{});
  }
}

/// The mean loss of the counted tokens: every token weighs the same, whatever sequence it is in. 0,
/// with zero gradients, where none is counted.
template <IsAxis Classes, TensorLike X>
auto cross_entropy(const X& logits, std::span<const std::int32_t> targets, const CrossEntropyOptions& options = {}) {
  const std::size_t tokens = options.tokens.value_or(counted(targets, options.ignored));
  const auto losses = token_losses<Classes>(logits, targets, options);
  using T = typename detail::ExprOf<X>::Scalar;
  return Var<T>(sum(losses) * (tokens == 0 ? 0.0 : 1.0 / static_cast<double>(tokens)));
}

/// -y log sigmoid(x) - (1 - y) log(1 - sigmoid(x)), from the logit x, elementwise and lazy: exact
/// however sure the answer is.
template <TensorLike X, class Y>
auto binary_cross_entropy(const X& logit, const Y& target) {
  return softplus(-logit) * target + softplus(logit) * (1 - target);
}

}  // namespace hindsight
