// EXPECTED: plain, residual and gated are d y_50 / d y_0 of fifty layers of each kind.
// HINT: The slope of one layer is F', 1 + F', g + (1 - g) F'. Put in F' = 0, and take the product of fifty.
// SHIPPED: If F lets nothing through, what else could?
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const double g = 1 / (1 + std::exp(-2.0));
  const auto F = [](double x) { return std::tanh(30 + x); };  // saturated
  const auto slope = [](auto layer) {
    const auto run = [&](double y) {
      for (int l = 0; l < 50; ++l) y = layer(y);
      return y;
    };
    return (run(0.1 + 1e-3) - run(0.1 - 1e-3)) / 2e-3;
  };
  const double of_plain = slope(F), of_residual = slope([&](double x) { return x + F(x); });
  const double of_gated = slope([&](double x) { return g * x + (1 - g) * F(x); });
  if (plain != of_plain)
    fail(text("plain: you predict %.4g. If F lets nothing through, what else could? The chain has no other link.",
              plain));
  check_prediction("residual", residual, of_residual, 0.05, {{"", {0}, "F lets nothing through; and x itself?"}});
  check_prediction("gated", gated, of_gated, 0.05,
                   {{"", {1}, "That would be a gate of 1."}, {"", {g}, "That is one layer. There are fifty."}});
  return text("Measured: %.0f, %.0f and %.5f. Both give the gradient a way past F: a residual connection is a gate "
              "that is stuck at 1.", of_plain, of_residual, of_gated);
}
