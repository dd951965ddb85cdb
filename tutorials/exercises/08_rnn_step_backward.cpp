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
    const double dz = 0;  // HERE: dL/dz_k
    d.b[k] += dz;
    // HERE: what z_k adds to d.W, d.V, d.x and d.h_before
  }
  return d;
}
