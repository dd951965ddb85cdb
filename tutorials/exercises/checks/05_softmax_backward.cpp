// EXPECTED: softmax_backward(alpha, dalpha) returns dL/de, where every e_j moves every alpha_i.
// HINT: dL/de_j = sum_i dL/dalpha_i  d alpha_i / d e_j. Split the sum at [i = j]: one term, and a sum that is
//   the same for all j.
// SHIPPED: backward of softmax: dL/de
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

namespace {
exercise::Vector softmax(const exercise::Vector& e) {
  exercise::Vector alpha;
  double sum = 0;
  for (const double x : e) alpha.push_back(std::exp(x)), sum += alpha.back();
  for (double& a : alpha) a /= sum;
  return alpha;
}
}  // namespace

std::string exercise::check() {
  for (std::size_t n : {5, 2, 8}) {
    const Vector e = noise(n, n, 2), dalpha = noise(n, n + 1), alpha = softmax(e);
    Vector diagonal, product, minus_sum;
    double sum = 0;
    for (const double d : dalpha) sum += d;
    for (std::size_t j = 0; j < n; ++j) {
      diagonal.push_back(alpha[j] * (1 - alpha[j]) * dalpha[j]);
      product.push_back(alpha[j] * dalpha[j]);
      minus_sum.push_back(alpha[j] * (dalpha[j] - sum));
    }
    check_backward(
        "backward of softmax", [](const std::vector<Vector>& at) { return softmax(at[0]); }, {{"e", e}}, dalpha,
        {softmax_backward(alpha, dalpha)},
        {{"e", diagonal, "That is the diagonal of the Jacobian alone: e_j also "
                         "moves the other alpha_i. Is the sum over i there?"},
         {"e", product, "That is the part with [i = j] = 1; the part with - alpha_j is missing."},
         {"e", minus_sum, "In the sum over i each dL/dalpha_i is multiplied by alpha_i."}});
  }
  return "dL/de sums to 0: what one place gains, the others lose. A score is compared with the average of all.";
}
