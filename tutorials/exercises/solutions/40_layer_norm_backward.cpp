// 40. Write a backward: layer normalisation
//
//     m = 1/n sum_k x_k      v = 1/n sum_k (x_k - m)^2      y_k = (x_k - m) r,  r = 1 / sqrt(v + eps)
//
// (Ba, Kiros and Hinton 2016; without its gain and bias.) The forward kept y and r. Given dL/dy, return dL/dx.
// Every x_k moves every y_k: directly, through m, and through v.
#include <vector>

using Vector = std::vector<double>;

Vector layer_norm_backward(const Vector& y, double r, const Vector& dy) {
  const std::size_t n = y.size();
  Vector dx(n);
  // What y cannot show, no gradient can ask for: a shift of all x (so dx has mean 0), and a stretch (so dx . y
  // is 0, but for eps). The two means take these parts of dy away.
  double mean_dy = 0, mean_dy_y = 0;
  for (std::size_t k = 0; k < n; ++k) mean_dy += dy[k] / n, mean_dy_y += dy[k] * y[k] / n;
  for (std::size_t k = 0; k < n; ++k) dx[k] = r * (dy[k] - mean_dy - y[k] * mean_dy_y);
  return dx;
}
