// EXPECTED: rnn_step_backward returns dL/dW, dL/dV, dL/db, dL/dx and dL/dh_before, each of the size of its operand.
// HINT: First dz_k = dL/dh_k (1 - h_k^2). Then W[k][i] x[i] is a product: W[k][i] gets dz_k x[i], and x[i] gets
//   dz_k W[k][i], from every k.
// SHIPPED: a recurrent step: dL/db
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (const auto& [I, H] : {std::pair{3, 4}, {5, 2}, {1, 1}}) {
    const std::size_t In = static_cast<std::size_t>(I), n = static_cast<std::size_t>(H);
    const Vector W = noise(n * In, 1), V = noise(n * n, 2), b = noise(n, 3), x = noise(In, 4), h0 = noise(n, 5),
                 dh = noise(n, 6);
    const auto step = [In, n](const std::vector<Vector>& at) {
      Vector h;
      for (std::size_t k = 0; k < n; ++k) {
        double z = at[0][k];
        for (std::size_t i = 0; i < In; ++i) z += at[1][k * In + i] * at[3][i];
        for (std::size_t j = 0; j < n; ++j) z += at[2][k * n + j] * at[4][j];
        h.push_back(std::tanh(z));
      }
      return h;
    };
    const Vector h = step({b, W, V, x, h0});
    Vector of_h(n * n), by_rows(n), last(n), last_x(In);
    for (std::size_t k = 0; k < n; ++k) {
      const double dz = dh[k] * (1 - h[k] * h[k]);
      for (std::size_t i = 0; i < In; ++i) last_x[i] = dz * W[k * In + i];
      for (std::size_t j = 0; j < n; ++j) {
        of_h[k * n + j] = dz * h[j];
        by_rows[k] += V[k * n + j] * dh[j] * (1 - h[j] * h[j]);
        last[j] = dz * V[k * n + j];
      }
    }
    const auto d = rnn_step_backward(W, V, x, h0, h, dh);
    check_backward("a recurrent step", step, {{"b", b}, {"W", W, In}, {"V", V, n}, {"x", x}, {"h_before", h0}}, dh,
                   {d.b, d.W, d.V, d.x, d.h_before},
                   {{"b", dh, "That is dL/dh; on the way to z it passes the slope of tanh, 1 - h^2."},
                    {"V", of_h, "That is with h; V is multiplied by the state before."},
                    {"x", last_x, "That is from the last k alone: every k adds."},
                    {"h_before", last, "That is from the last k alone: every k adds."},
                    {"h_before", by_rows, "V is taken the wrong way round: h_before[j] "
                                          "gets from V[k][j], the sum is over k."}});
  }
  return "dL/dh_{t-1} = V^T (dL/dh_t (1 - h_t^2)): that line, T times, is backpropagation through time.";
}
