// 33. Find the bug: two time axes in one array
//
//     alpha_{t,i} = exp(e_{t,i}) / sum_k exp(e_{t,k})
//
// Plain arrays now, without types: a score for each of T target steps t and each of N source positions i lies at
// e[t * N + i]. All weights are positive, and they sum to 1; but over what?
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

Vector attention_weights(const Vector& e, std::size_t T, std::size_t N) {
  Vector alpha(T * N);
  for (std::size_t i = 0; i < N; ++i) {
    double sum = 0;
    for (std::size_t t = 0; t < T; ++t) sum += std::exp(e[t * N + i]);
    for (std::size_t t = 0; t < T; ++t) alpha[t * N + i] = std::exp(e[t * N + i]) / sum;
  }
  return alpha;
}
