// 23. Find the bug: the reset gate, before or after
//
//     Cho et al. 2014          n_t = tanh(W x_t + b + U (r_t h_{t-1}))
//     PyTorch and cuDNN        n_t = tanh(W x_t + b + r_t (U h_{t-1} + c))        c: a bias of its own
//
// This is to be the candidate of the second form. With weights from there it is nearly right, and never right.
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

/// `wx` is W x_t + b; U is H x H, row by row
Vector candidate(const Vector& wx, const Vector& U, const Vector& c, const Vector& r, const Vector& h_before) {
  const std::size_t H = h_before.size();
  Vector n;
  for (std::size_t k = 0; k < H; ++k) {
    double sum = c[k];
    for (std::size_t j = 0; j < H; ++j) sum += U[k * H + j] * r[j] * h_before[j];
    n.push_back(std::tanh(wx[k] + sum));
  }
  return n;
}
