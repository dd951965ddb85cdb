// EXPECTED: read(s, h) returns the context c of H numbers, weighted by the softmax of s . h_i.
// HINT: e[i] is a sum over k of the products of s[k] and unit k of state i.
// SHIPPED: the mean of all states
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (const auto& [N, H] : {std::pair<std::size_t, std::size_t>{4, 3}, {3, 5}, {1, 2}, {7, 2}}) {
    const Vector s = noise(H, 1, 3), h = noise(N * H, 2);
    const auto read_with = [&, n = N, units = H](double scale, bool transposed) {
      Vector e(n), c(units), alpha;
      double sum = 0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < units; ++k) e[i] += scale * s[k] * h[transposed ? k * n + i : i * units + k];
      for (const double x : e) alpha.push_back(std::exp(x)), sum += alpha.back();
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < units; ++k) c[k] += alpha[i] / sum * h[i * units + k];
      return c;
    };
    compare(text("%zu states of %zu units", N, H), {"c", read_with(1, false)}, read(s, h),
            {{"c", read_with(0, false), "That is the mean of all states: the scores do not depend on what is asked."},
             {"c", read_with(-1, false), "The scores are right but for the sign: it looks where it should not."},
             {"c", read_with(1, true), "h is taken column by column: unit k of state i is h[i * H + k]."}});
  }
  return "Write control decides what is kept; this is read control: "
         "all is kept, and the question decides what is read.";
}
