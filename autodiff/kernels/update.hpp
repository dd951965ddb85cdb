// The arithmetic of the optimizers and of gradient clipping, on (n, weights, gradients, state).
//
// One call updates one parameter. Hyperparameters are doubles, also for float weights, so that
// 1 - beta is not rounded twice. An element depends on nothing but its own w, g and state.
#pragma once

#include <cstddef>

namespace hindsight::kernels {

/// The sum of squares of numbers of any size: double cannot overflow or underflow on the way to a
/// norm that it can hold. Numbers above 2^490 are squared as (x 2^-600)^2 and summed in `large`,
/// those below 2^-500 as (x 2^600)^2 in `small` (J. L. Blue, "A portable Fortran program to find
/// the Euclidean norm of a vector", 1978). Sums of several parameters add up to the global one.
struct SquareSum {
  double small = 0, medium = 0, large = 0;

  SquareSum& operator+=(const SquareSum& other);

  /// sqrt(sum_i x_i^2); not finite if an element is not.
  double norm() const;
};

/// sum_i x_i^2, in double whatever T is, in one fixed order.
template <class T>
SquareSum sum_of_squares(std::size_t n, const T* x);

/// g' = g + weight_decay w
/// v  = momentum v + g'
/// w -= rate v
/// PyTorch's form (no dampening): the rate is outside the momentum. v may be null without momentum.
struct SgdStep {
  double rate, momentum = 0, weight_decay = 0;
};
template <class T>
void sgd(std::size_t n, T* w, const T* g, T* v, const SgdStep& step);

/// g' = g + weight_decay w
/// v  = decay v + (1 - decay) g'^2
/// w -= rate g' / (sqrt(v) + epsilon)
/// G. Hinton, lecture 6e of the 2012 course; epsilon outside the root as in PyTorch.
struct RmspropStep {
  double rate, decay = 0.99, epsilon = 1e-8, weight_decay = 0;
};
template <class T>
void rmsprop(std::size_t n, T* w, const T* g, T* v, const RmspropStep& step);

/// Step t = 1, 2, ... of Adam. The caller counts the steps: correction1 = 1 - beta1^t and
/// correction2 = 1 - beta2^t.
struct AdamStep {
  double rate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
  double correction1, correction2;
};

/// g' = g + weight_decay w
/// m  = beta1 m + (1 - beta1) g'
/// v  = beta2 v + (1 - beta2) g'^2
/// w -= rate m^ / (sqrt(v^) + epsilon),  m^ = m / correction1,  v^ = v / correction2
/// D. P. Kingma and J. Ba, "Adam", 2015, algorithm 1. The moments are kept uncorrected.
template <class T>
void adam(std::size_t n, T* w, const T* g, T* m, T* v, const AdamStep& step);

/// The same with g' = g and, first, w -= rate weight_decay w.
/// I. Loshchilov and F. Hutter, "Decoupled weight decay regularization", 2019.
template <class T>
void adamw(std::size_t n, T* w, const T* g, T* m, T* v, const AdamStep& step);

}  // namespace hindsight::kernels
