// EXPECTED: from_chung(w) returns the weights and the bias with which our z_t is 1 - z_t of theirs.
// HINT: 1 - 1 / (1 + exp(-a)) = exp(-a) / (1 + exp(-a)). Divide both parts by exp(-a).
// SHIPPED: z is the wrong way round
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const auto sigmoid = [](double a) { return 1 / (1 + std::exp(-a)); };
  for (std::uint64_t seed : {1, 2, 3}) {
    const Vector theirs = noise(3, seed, 3), n = noise(2, seed + 1, 2), x = noise(6, seed + 2);
    const Vector ours = from_chung(theirs);
    if (ours.size() != 3) fail("There are as many weights here as there.");
    const auto run = [&](const Vector& w, bool z_keeps) {
      Vector h{0.8};
      for (const double x_t : x) {
        const double z = sigmoid(w[0] * x_t + w[1] * h.back() + w[2]), candidate = std::tanh(n[0] * x_t + n[1]);
        h.push_back(z_keeps ? z * h.back() + (1 - z) * candidate : (1 - z) * h.back() + z * candidate);
      }
      return h;
    };
    Vector bias_alone = theirs, weights_alone = theirs;
    bias_alone[2] *= -1, weights_alone[0] *= -1, weights_alone[1] *= -1;
    compare("six steps here, with weights from there", {"h", run(theirs, false)}, run(ours, true),
            {{"h", run(theirs, true), "z is the wrong way round: where that net "
                                      "kept its state, this one overwrites it."},
             {"h", run(bias_alone, true), "The bias is turned round; the weights are not."},
             {"h", run(weights_alone, true), "The weights are turned round; the bias is not."}});
  }
  return "1 - sigmoid(a) = sigmoid(-a): the two papers have one net "
         "and two names for its gate. Look at which is meant.";
}
