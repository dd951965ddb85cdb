// 5. Write a backward: softmax
//
//     alpha_i = exp(e_i) / sum_k exp(e_k)        d alpha_i / d e_j = alpha_i ([i = j] - alpha_j)
//
// [i = j] is 1 where i is j, else 0. Given alpha and dL/dalpha, return dL/de.
#include <vector>

using Vector = std::vector<double>;

Vector softmax_backward(const Vector& alpha, const Vector& dalpha) {
  Vector de(alpha.size());
  for (std::size_t j = 0; j < alpha.size(); ++j) de[j] = 0;  // HERE
  return de;
}
