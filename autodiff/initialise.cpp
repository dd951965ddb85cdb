#include "autodiff/initialise.hpp"

#include <complex>
#include <vector>

namespace hindsight::detail {

// Modified Gram-Schmidt, twice for good measure, on normal vectors: the result is uniform over the
// orthogonal matrices (Stewart 1980).
template <class T>
void fill_orthogonal(std::size_t rows, std::size_t cols, std::size_t row_stride, double gain, const Random& random,
                     T* values) {
  const bool tall = rows >= cols;
  const std::size_t vectors = tall ? cols : rows, length = tall ? rows : cols;
  std::vector<double> q(vectors * length);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = random.normal(i);
  const auto dot = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t k = 0; k < length; ++k) sum += q[a * length + k] * q[b * length + k];
    return sum;
  };
  for (std::size_t v = 0; v < vectors; ++v) {
    for (int twice = 0; twice < 2; ++twice)
      for (std::size_t u = 0; u < v; ++u) {
        const double along = dot(u, v);
        for (std::size_t k = 0; k < length; ++k) q[v * length + k] -= along * q[u * length + k];
      }
    const double norm = std::sqrt(dot(v, v));
    for (std::size_t k = 0; k < length; ++k) q[v * length + k] /= norm;
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c)
      values[r * row_stride + c] = static_cast<T>(gain * (tall ? q[c * length + r] : q[r * length + c]));
}

template void fill_orthogonal(std::size_t, std::size_t, std::size_t, double, const Random&, float*);
template void fill_orthogonal(std::size_t, std::size_t, std::size_t, double, const Random&, double*);
template void fill_orthogonal(std::size_t, std::size_t, std::size_t, double, const Random&, std::complex<double>*);

}  // namespace hindsight::detail
