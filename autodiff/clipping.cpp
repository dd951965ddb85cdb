#include "autodiff/clipping.hpp"

#include <cmath>

namespace hindsight::detail {

void check_limit(double limit) {
  if (!(limit >= 0))
    throw Error("clip_by_global_norm: the limit is " + std::to_string(limit) + ", expected at least 0");
}

void check_norm(double norm, const Path& path) {
  if (!std::isfinite(norm))
    throw Error("clip_by_global_norm: the gradient of '" + path.text() + "' makes the norm " + std::to_string(norm) +
                ", expected finite gradients");
}

template <class T>
void scale_gradient(std::size_t n, double factor, T* g) {
  for (std::size_t i = 0; i < n; ++i) g[i] = static_cast<T>(g[i] * factor);
}

template void scale_gradient(std::size_t, double, float*);
template void scale_gradient(std::size_t, double, double*);

}  // namespace hindsight::detail
