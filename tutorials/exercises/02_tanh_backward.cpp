// 2. Write a backward: tanh
//
//     y_k = tanh(x_k)        tanh'(x) = 1 - tanh(x)^2
//
// The forward kept y. Given y and dL/dy, return dL/dx.
#include <vector>

using Vector = std::vector<double>;

Vector tanh_backward(const Vector& y, const Vector& dy) {
  Vector dx(y.size());
  for (std::size_t k = 0; k < y.size(); ++k) dx[k] = 0;  // HERE
  return dx;
}
