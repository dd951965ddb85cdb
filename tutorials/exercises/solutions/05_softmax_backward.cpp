// 5. Write a backward: softmax
//
//     alpha_i = exp(e_i) / sum_k exp(e_k)        d alpha_i / d e_j = alpha_i ([i = j] - alpha_j)
//
// [i = j] is 1 where i is j, else 0. Given alpha and dL/dalpha, return dL/de.
#include <vector>

using Vector = std::vector<double>;

Vector softmax_backward(const Vector& alpha, const Vector& dalpha) {
  // sum_i dalpha_i alpha_i ([i = j] - alpha_j) = alpha_j (dalpha_j - sum_i alpha_i dalpha_i): a score rises if
  // its place does better than the average. In this form the cost is n, and not n^2.
  double average = 0;
  for (std::size_t i = 0; i < alpha.size(); ++i) average += alpha[i] * dalpha[i];
  Vector de(alpha.size());
  for (std::size_t j = 0; j < alpha.size(); ++j) de[j] = alpha[j] * (dalpha[j] - average);
  return de;
}
