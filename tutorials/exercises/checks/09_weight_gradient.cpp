// EXPECTED: weight_gradient(w, h_0, x) returns dL/dw, a sum over all steps.
// HINT: At step t, z_t = w h_{t-1} + x_t. What is the derivative of z_t by w?
// SHIPPED: one step off
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (std::size_t T : {5, 1, 9}) {
    const Vector x = noise(T, T), w = noise(1, T + 1, 1.5);
    const double h_0 = 0.5;
    Vector h{h_0};
    for (const double x_t : x) h.push_back(std::tanh(w[0] * h.back() + x_t));
    double off = 0, last = 0, first = 0, dh = 1;
    for (std::size_t t = T; t >= 1; --t) {
      const double dz = dh * (1 - h[t] * h[t]);
      (t == T ? last : first) = dz * h[t - 1];
      off += dz * h[t];
      dh = dz * w[0];
    }
    check_backward(
        text("one unit over %zu steps", T),
        [&](const std::vector<Vector>& at) {
          double s = h_0;
          for (const double x_t : x) s = std::tanh(at[0][0] * s + x_t);
          return Vector{s};
        },
        {{"w", w}}, {1}, {{weight_gradient(w[0], h_0, x)}},
        {{"w", {off}, "It is one step off: each dz_t is multiplied by a state that w never met at that step."},
         {"w", {last}, "That is from the last step alone: every step adds."},
         {"w", {first}, "That is from the first step alone: every step adds."}});
  }
  return "A wrong gradient trains, worse and without a word. Only a finite difference tells.";
}
