// Clipping by the global norm (R. Pascanu, T. Mikolov, Y. Bengio, "On the difficulty of training
// recurrent neural networks", 2013, algorithm 1).
#pragma once

#include "autodiff/kernels/update.hpp"
#include "autodiff/learned.hpp"

namespace hindsight {

namespace detail {

void check_limit(double limit);
void check_norm(double norm, const Path& path);

/// g_i *= factor, computed in double: a factor that float cannot hold still gives the right product.
template <class T>
void scale_gradient(std::size_t n, double factor, T* g);

}  // namespace detail

/// Where the norm of all gradients taken together exceeds the limit, scales them all by the same
/// factor, so that the direction stays and the norm becomes the limit:
///
///     g  = (g_1, g_2, ...)  over all parameters, each once, without frozen rows
///     if ||g|| > limit:  g <- g limit / ||g||
///
/// Returns ||g|| as it was. A norm of at most the limit leaves every bit as it was. The limit may be
/// infinite: then nothing is scaled, and what follows still holds.
///
/// A gradient that is not finite throws Error with the parameter's path, before anything is changed;
/// called before the optimizer's step, it keeps weights, moments and step count from harm. So does a
/// limit that is negative or NaN.
template <class M>
double clip_by_global_norm(M& module, double limit) {
  detail::check_limit(limit);
  kernels::SquareSum squares;
  for_each_distinct(module, [&](const Path& path, auto& core) {
    for_each_learned_run(core, [&](std::size_t begin, std::size_t count) {
      squares += kernels::sum_of_squares(count, core.gradient() + begin);
    });
    detail::check_norm(squares.norm(), path);
  });
  const double norm = squares.norm();
  if (norm > limit)
    for_each_distinct(module, [&](const Path&, auto& core) {
      for_each_learned_run(core, [&](std::size_t begin, std::size_t count) {
        detail::scale_gradient(count, limit / norm, core.gradient() + begin);
      });
    });
  return norm;
}

}  // namespace hindsight
