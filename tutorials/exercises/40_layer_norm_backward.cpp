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
  for (std::size_t k = 0; k < n; ++k) dx[k] = r * dy[k];  // HERE: two means are missing
  return dx;
}
