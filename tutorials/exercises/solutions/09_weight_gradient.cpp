// 9. Find the bug: the gradient of a weight that is used at every step
//
//     h_t = tanh(w h_{t-1} + x_t)        L = h_T
//
// Backpropagation through time for one unit. The loss falls when it is trained with this, only not as well as
// it might.
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

/// dL/dw; x[t - 1] is x_t, h[t] is h_t and h[0] the first state
double weight_gradient(double w, double h_0, const Vector& x) {
  Vector h{h_0};
  for (const double x_t : x) h.push_back(std::tanh(w * h.back() + x_t));

  double dw = 0, dh = 1;
  for (std::size_t t = x.size(); t >= 1; --t) {
    const double dz = dh * (1 - h[t] * h[t]);
    dw += dz * h[t - 1];  // w h_{t-1}: what w was multiplied by at step t is the state before it
    dh = dz * w;
  }
  return dw;
}
