// Optimizers: SGD with momentum, RMSProp, Adam, AdamW.
//
//     Adam adam({.rate = 2e-3});
//     ...
//     backward(loss);
//     adam.step(model);
//     clear_gradients(model);
//
// g is an element's gradient, w the element, t = 1, 2, ... the number of the step.
#pragma once

#include "autodiff/kernels/update.hpp"
#include "autodiff/optimizer.hpp"

namespace hindsight {

namespace detail {

/// 1 - beta^t, accurate for every t: t log(beta) loses nothing where beta^t is close to 1.
double one_minus_power(double beta, std::uint64_t t);

}  // namespace detail

/// Gradient descent with momentum.
///
///     g' = g + weight_decay w
///     v  = momentum v + g'
///     w -= rate v
///
/// The rate stands outside the momentum, as in PyTorch.
struct SgdRule {
  double rate = 0.01, momentum = 0, weight_decay = 0;

  static constexpr const char* name = "Sgd";
  static constexpr std::array moments = {"v"};
  void check() const;
  template <class T>
  void update(std::size_t n, T* w, const T* g, std::array<T*, 1> v, std::uint64_t) const {
    kernels::sgd(n, w, g, v[0], {rate, momentum, weight_decay});
  }
};

/// RMSProp (G. Hinton, lecture 6e of the 2012 course).
///
///     g' = g + weight_decay w
///     v  = decay v + (1 - decay) g'^2
///     w -= rate g' / (sqrt(v) + epsilon)
///
/// Epsilon stands outside the root, as in PyTorch.
struct RmsPropRule {
  double rate = 0.01, decay = 0.99, epsilon = 1e-8, weight_decay = 0;

  static constexpr const char* name = "RmsProp";
  static constexpr std::array moments = {"v"};
  void check() const;
  template <class T>
  void update(std::size_t n, T* w, const T* g, std::array<T*, 1> v, std::uint64_t) const {
    kernels::rmsprop(n, w, g, v[0], {rate, decay, epsilon, weight_decay});
  }
};

/// Adam (D. P. Kingma and J. Ba, "Adam", 2015, algorithm 1).
///
///     g' = g + weight_decay w
///     m  = beta1 m + (1 - beta1) g'             m^ = m / (1 - beta1^t)
///     v  = beta2 v + (1 - beta2) g'^2           v^ = v / (1 - beta2^t)
///     w -= rate m^ / (sqrt(v^) + epsilon)
///
/// The moments are kept uncorrected.
struct AdamRule {
  double rate = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;

  static constexpr const char* name = "Adam";
  static constexpr std::array moments = {"m", "v"};
  void check() const;
  template <class T>
  void update(std::size_t n, T* w, const T* g, std::array<T*, 2> mv, std::uint64_t t) const {
    kernels::adam(n, w, g, mv[0], mv[1],
                  {rate, beta1, beta2, epsilon, weight_decay, detail::one_minus_power(beta1, t),
                   detail::one_minus_power(beta2, t)});
  }
};

/// Adam with decoupled weight decay (I. Loshchilov and F. Hutter, 2019): first
///
///     w -= rate weight_decay w
///
/// then Adam with g' = g, so that the decay is not divided by the root.
struct AdamWRule {
  double rate = 0.001, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0.01;

  static constexpr const char* name = "AdamW";
  static constexpr std::array moments = {"m", "v"};
  void check() const;
  template <class T>
  void update(std::size_t n, T* w, const T* g, std::array<T*, 2> mv, std::uint64_t t) const {
    kernels::adamw(n, w, g, mv[0], mv[1],
                   {rate, beta1, beta2, epsilon, weight_decay, detail::one_minus_power(beta1, t),
                    detail::one_minus_power(beta2, t)});
  }
};

/// Gradient descent, with momentum or without: `Sgd sgd({.rate = 0.1});`
using Sgd = Optimizer<SgdRule>;
/// Steps divided by a running root of the mean square.
using RmsProp = Optimizer<RmsPropRule>;
/// RmsProp with momentum, both corrected for their beginning at 0.
using Adam = Optimizer<AdamRule>;
/// Adam with a weight decay that is not divided by the root.
using AdamW = Optimizer<AdamWRule>;

}  // namespace hindsight
