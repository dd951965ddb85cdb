// 4. Find the bug: a softmax that fails on large scores
//
//     alpha_i = exp(e_i) / sum_k exp(e_k)
//
// The equation is right, and so is this on paper. Then training makes a score of 1000.
#include <algorithm>
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

Vector softmax(const Vector& e) {
  Vector alpha;
  double sum = 0;
  for (const double e_i : e) {
    alpha.push_back(std::exp(e_i));
    sum += alpha.back();
  }
  for (double& a : alpha) a /= sum;
  return alpha;
}
