// EXPECTED: softmax(e) returns the weights for scores of any size; they are positive and sum to 1.
// HINT: alpha does not change if the same number is taken from every score. Which one makes the largest
//   exponential 1?
// SHIPPED: scores near 1000
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (std::size_t n : {3, 6, 1}) {
    const Vector e = noise(n, n, 2);
    Vector right;
    double sum = 0;
    for (const double x : e) sum += std::exp(x);
    for (const double x : e) right.push_back(std::exp(x) / sum);
    compare("softmax of small scores", {"alpha", right}, softmax(e));
    for (const double shift : {1000.0, -1000.0, 1e6}) {
      Vector shifted = e;
      for (double& x : shifted) x += shift;
      compare(text("softmax of scores near %.0f", shift), {"alpha", right}, softmax(shifted),
              {{"alpha", Vector(n, NAN), ""}}, 1e-8);
    }
  }
  compare("softmax of scores -800, 0, 800", {"alpha", {0, 0, 1}}, softmax({-800, 0, 800}));
  return "A softmax sees differences only; take the maximum away first, here and in log-sum-exp.";
}
