// EXPECTED: b_f, w_i, b_i and b_g make an LSTM's memory count; largest_gru_state is a bound.
// HINT: f must keep the count whole over 60 steps, i must be 0 without an event and 1 with one, and g is what
//   is added. For the GRU: where does a mean of two numbers lie?
// SHIPPED: The memory should have counted
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Vector draws = noise(60, seed);
    double c = 0, events = 0;
    for (const double draw : draws) {
      const double x = draw > 0.8 - 0.2 * static_cast<double>(seed) ? 1 : 0;
      c = sigmoid(b_f) * c + sigmoid(w_i * x + b_i) * std::tanh(b_g);
      events += x;
    }
    if (!(std::abs(c - events) <= 0.3))
      fail(text("The memory should have counted %.0f events in 60 steps, and is %.3f.\n"
                "Per step it keeps %.4f of the count, adds %.4f at an event, and %.4f at none.",
                events, c, sigmoid(b_f), sigmoid(w_i + b_i) * std::tanh(b_g), sigmoid(b_i) * std::tanh(b_g)));
  }
  double largest = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {  // a GRU of one unit with large weights, over 60 steps
    const Vector w = noise(6, seed, 20), x = noise(60, seed + 1);
    double h = 0;
    for (const double x_t : x) {
      const double z = sigmoid(w[0] * x_t + w[1] * h + w[2]), n = std::tanh(w[3] * x_t + w[4] * h + w[5]);
      h = z * h + (1 - z) * n;
      largest = std::max(largest, std::abs(h));
    }
  }
  if (largest_gru_state < largest)
    fail(text("The LSTM counts. A GRU with random weights came to |h| = %.4f, more than your bound.", largest));
  if (largest_gru_state > 1.01)
    fail(text("The LSTM counts. Your bound of %.4g for the GRU is too "
              "large: of 200 nets with large weights none came further "
              "than %.4f. Where does z h + (1 - z) n lie?", largest_gru_state, largest));
  return text("An additive memory counts; a convex one forgets as much as "
              "it writes, and stays in [-1, 1] (largest seen: %.4f).", largest);
}
