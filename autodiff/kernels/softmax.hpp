// Softmax and its relatives, forward and backward in pairs, along one axis of a tensor.
//
// Tensors are outer x n x inner (AxisLayout); `mask` has the same layout as x, 0 where an element
// is masked out, or is null. A mask selects: what x holds at a masked place, NaN or infinity, is
// never looked at. A score of -inf is as good as masked. NaN at a kept place makes its slice NaN.
// Backward functions add to dx. Nothing is allocated; x and y may be the same memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "autodiff/kernels/axis_layout.hpp"

namespace hindsight::kernels {

/// y_i = exp(x_i - m) / sum_k exp(x_k - m),  m = max_k x_k, over the kept k.
///     x, mask, y: outer x n x inner
///
/// Masked places get exactly 0, and so does a whole slice with nothing kept (a read of nothing is
/// 0), or with nothing but -inf. A kept +inf makes its slice NaN: the limit depends on the way.
template <class T>
void softmax(AxisLayout layout, const T* x, const T* mask, T* y);

/// dx_i += y_i (dy_i - sum_k dy_k y_k)
///     all: outer x n x inner
///
/// A place with y = 0 takes no part: it gets exactly 0, and its dy may be anything, as it is for
/// the weight of a padded memory.
template <class T>
void softmax_backward(AxisLayout layout, const T* y, const T* dy, T* dx);

/// y_i = (x_i - m) - log sum_k exp(x_k - m)
///     x, mask, y: outer x n x inner
///
/// Masked places get -inf, also where nothing is kept. A kept +inf makes its slice NaN.
template <class T>
void log_softmax(AxisLayout layout, const T* x, const T* mask, T* y);

/// dx_i += dy_i - exp(y_i) sum_k dy_k
///     all: outer x n x inner
///
/// A place with y = -inf takes no part, as above.
template <class T>
void log_softmax_backward(AxisLayout layout, const T* y, const T* dy, T* dx);

/// y = m + log sum_k exp(x_k - m)
///     x, mask: outer x n x inner, y: outer x inner
///
/// -inf where nothing is kept or all is -inf; +inf where a kept element is.
template <class T>
void logsumexp(AxisLayout layout, const T* x, const T* mask, T* y);

/// dx_i += dy exp(x_i - y)
///     x, mask, dx: outer x n x inner, y, dy: outer x inner
///
/// Ties share the gradient; masked places and -inf get exactly 0. At +inf the slope is NaN.
template <class T>
void logsumexp_backward(AxisLayout layout, const T* x, const T* mask, const T* y, const T* dy,
                        T* dx);

/// What cross-entropy asks of its targets.
struct CrossEntropy {
  std::size_t rows = 0;       ///< the predictions: tokens of all sentences
  std::size_t classes = 0;    ///< at most 2^24, beyond which a float does not count
  std::int32_t ignored = -1;  ///< a row with this target counts for nothing
  double smoothing = 0;       ///< s: the target gets 1 - s, and every class s / classes on top
};

/// Throws Error, naming the position and what is allowed, unless every target is one of
/// 0..classes-1 or the ignored id. cross_entropy itself does not check.
void check_targets(const CrossEntropy& c, const std::int32_t* targets);

/// loss_r = lse_r - ((1-s) x_{r,t_r} + s mean_k x_{r,k}),  lse_r = logsumexp_k x_{r,k}
///     logits: rows x classes, targets, loss, lse: rows
///
/// Computed from x - max and with log1p, so that neither a logit of 1000 nor the tiny loss of a
/// sure answer loses digits. A target of logit -inf has loss +inf; a row of nothing but -inf, or
/// with a NaN or +inf in it, has loss NaN. An ignored row is not looked at: its loss and lse are 0.
/// The mean over counted rows is the caller's, who knows the count of the whole batch.
template <class T>
void cross_entropy(const CrossEntropy& c, const T* logits, const std::int32_t* targets, T* loss,
                   T* lse);

/// dlogits_{r,k} += dloss_r (exp(x_{r,k} - lse_r) - (1-s) [k = t_r] - s / classes)
///     logits, dlogits: rows x classes, the others: rows
///
/// Ignored rows of dlogits are left as they are.
template <class T>
void cross_entropy_backward(const CrossEntropy& c, const T* logits, const std::int32_t* targets,
                            const T* lse, const T* dloss, T* dlogits);

}  // namespace hindsight::kernels
