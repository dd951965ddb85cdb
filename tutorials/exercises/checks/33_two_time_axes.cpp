// EXPECTED: attention_weights(e, T, N) returns weights that sum to 1 over the source, at each target step.
// HINT: In the equation the sum runs over k, which stands in the place of i. What is held fast?
// SHIPPED: It is the steps that compete
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (const auto& [T, N] : {std::pair<std::size_t, std::size_t>{3, 4}, {4, 4}, {1, 5}, {6, 2}}) {
    const Vector e = noise(T * N, T + N, 2);
    Vector right(T * N), over_steps(T * N), over_all(T * N);
    double all = 0;
    for (const double x : e) all += std::exp(x);
    for (std::size_t t = 0; t < T; ++t)
      for (std::size_t i = 0; i < N; ++i) {
        double row = 0, column = 0;
        for (std::size_t k = 0; k < N; ++k) row += std::exp(e[t * N + k]);
        for (std::size_t k = 0; k < T; ++k) column += std::exp(e[k * N + i]);
        right[t * N + i] = std::exp(e[t * N + i]) / row;
        over_steps[t * N + i] = std::exp(e[t * N + i]) / column;
        over_all[t * N + i] = std::exp(e[t * N + i]) / all;
      }
    compare(text("%zu target steps, %zu source positions", T, N), {"alpha", right, N}, attention_weights(e, T, N),
            {{"alpha", over_steps,
              "The weights sum to 1 over t. It is the steps that compete "
              "for a position, and not the positions for a step."},
             {"alpha", over_all, "The weights sum to 1 over all steps and positions: a step has no read of its own."}});
  }
  return "Two time axes, and only names tell them apart. softmax<Source>(e) says which; a number does not.";
}
