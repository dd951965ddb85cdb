// EXPECTED: cross_entropy_backward(p, right) returns dL/dz for L = -log p_right, p = softmax(z).
// HINT: Write L as log sum_j exp(z_j) - z_right. What is the derivative of a log-sum-exp?
// SHIPPED: backward of cross-entropy: dL/dz
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (std::size_t n : {4, 2, 9}) {
    const Vector z = noise(n, n, 2);
    const std::size_t right = n / 2;
    Vector p, by_p(n, 0.0);
    double sum = 0;
    for (const double x : z) sum += std::exp(x);
    for (const double x : z) p.push_back(std::exp(x) / sum);
    by_p[right] = -1 / p[right];
    check_backward(
        "backward of cross-entropy",
        [right](const std::vector<Vector>& at) {
          double all = 0;
          for (const double x : at[0]) all += std::exp(x);
          return Vector{std::log(all) - at[0][right]};
        },
        {{"z", z}}, {1}, {cross_entropy_backward(p, right)},
        {{"z", p, "That is p, from the first term of L alone; - z_right gives its own part at `right`."},
         {"z", by_p, "That is dL/dp. It has still to go through the softmax, which moves all z_k."}});
  }
  return "dL/dz = p - y: what was said minus what was right. A sure "
         "answer that is wrong gets a gradient near 1, never 0.";
}
