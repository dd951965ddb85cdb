// 8. Write a backward: a step of a recurrent net
//
//     z = W x + V h_before + b        h = tanh(z)
//
// W is H x In and V is H x H, row by row: W x = sum_i W[k][i] x[i]. Given dL/dh, return the gradients of all five.
#include <vector>

using Vector = std::vector<double>;

struct RnnGradients {
  Vector W, V, b, x, h_before;
};

RnnGradients rnn_step_backward(const Vector& W, const Vector& V, const Vector& x, const Vector& h_before,
                               const Vector& h, const Vector& dh) {
  const std::size_t I = x.size(), H = h.size();
  RnnGradients d{Vector(H * I), Vector(H * H), Vector(H), Vector(I), Vector(H)};
  for (std::size_t k = 0; k < H; ++k) {
    const double dz = dh[k] * (1 - h[k] * h[k]);
    d.b[k] += dz;
    // A product gives each factor the other one, times dz. x and h_before meet every row k: their sums are over k.
    for (std::size_t i = 0; i < I; ++i) d.W[k * I + i] += dz * x[i], d.x[i] += dz * W[k * I + i];
    for (std::size_t j = 0; j < H; ++j) d.V[k * H + j] += dz * h_before[j], d.h_before[j] += dz * V[k * H + j];
  }
  return d;
}
