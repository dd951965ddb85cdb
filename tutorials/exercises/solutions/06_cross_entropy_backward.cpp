// 6. Write a backward: cross-entropy of logits
//
//     p_k = exp(z_k) / sum_j exp(z_j)        L = -log p_right
//
// Given p = softmax(z) and which class is right, return dL/dz. Taken through both equations at once it is very short.
#include <vector>

using Vector = std::vector<double>;

Vector cross_entropy_backward(const Vector& p, std::size_t right) {
  // L = log sum_j exp(z_j) - z_right: the first part gives p, the second 1 at the right class. No division by
  // p_right, which may be 0 in floating point: this is why the loss takes logits and not probabilities.
  Vector dz = p;
  dz[right] -= 1;
  return dz;
}
