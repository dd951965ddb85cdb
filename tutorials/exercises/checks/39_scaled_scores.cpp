// EXPECTED: variance_of_e and variance_of_scaled are numbers, unscaled_is_sharper is true or false.
// HINT: The variance of a product of two independent numbers of mean 0 is the product of their variances, and
//   variances of independent terms add. Dividing by a number divides the variance by its square.
// SHIPPED: That is one term of the sum
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const std::size_t d = 64, n = 20000;
  const double limit = std::sqrt(3.0);  // uniform in [-limit, limit): variance 1
  const Vector s = noise(d * n, 1, limit), h = noise(d * n, 2, limit);
  double square = 0, sharpest = 0, sharpest_scaled = 0;
  for (std::size_t j = 0; j < n; j += 10) {
    Vector e(10);
    double largest = -INFINITY, sum = 0, sum_scaled = 0;
    for (std::size_t i = 0; i < 10; ++i) {
      for (std::size_t k = 0; k < d; ++k) e[i] += s[(j + i) * d + k] * h[(j + i) * d + k];
      square += e[i] * e[i];
      largest = std::max(largest, e[i]);
    }
    for (const double x : e) sum += std::exp(x - largest), sum_scaled += std::exp((x - largest) / 8);
    sharpest += 1 / sum, sharpest_scaled += 1 / sum_scaled;
  }
  const double variance = square / n, mean = sharpest * 10 / n, mean_scaled = sharpest_scaled * 10 / n;
  check_prediction("variance_of_e", variance_of_e, variance, 0.1,
                   {{"", {1}, "That is one term of the sum. There are 64."},
                    {"", {8}, "That is the standard deviation, sqrt(64)."}});
  check_prediction("variance_of_scaled", variance_of_scaled, variance / d, 0.1,
                   {{"", {8}, "Divided by sqrt(d), a variance is divided by d."}});
  if (unscaled_is_sharper != (mean > mean_scaled))
    fail("unscaled_is_sharper: larger differences of scores are "
         "larger ratios of weights. Which scores differ by more?");
  return text("Measured: variances %.1f and %.2f; the largest of ten "
              "weights is %.2f without the division and %.2f with it.",
              variance, variance / d, mean, mean_scaled);
}
