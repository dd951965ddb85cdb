// EXPECTED: lstm_step_backward returns dL/dz of the four gates and dL/dc_before.
// HINT: dL/dc in all is dc plus what h gives to c: dh times o times the slope of tanh at c. All but z_o follow
//   from that one number.
// SHIPPED: an LSTM's step: dL/dz_o
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const auto sigmoid = [](double z) { return 1 / (1 + std::exp(-z)); };
  for (std::uint64_t seed : {1, 2, 3, 4}) {
    const Vector z = noise(4, seed, 2), c0 = noise(1, seed + 10, 2), dy = noise(2, seed + 20);
    const auto forward = [&](const std::vector<Vector>& at) {  // z_o, c_before, z_f, z_i, z_g -> h, c
      const double c = sigmoid(at[2][0]) * at[1][0] + sigmoid(at[3][0]) * std::tanh(at[4][0]);
      return Vector{sigmoid(at[0][0]) * std::tanh(c), c};
    };
    const LstmStep s{sigmoid(z[0]), sigmoid(z[1]), std::tanh(z[2]), sigmoid(z[3]), c0[0],
                     sigmoid(z[0]) * c0[0] + sigmoid(z[1]) * std::tanh(z[2])};
    const auto d = lstm_step_backward(s, dy[0], dy[1]);
    const double through_h = dy[0] * s.o * (1 - std::pow(std::tanh(s.c), 2)), dc = dy[1] + through_h;
    check_backward(
        "an LSTM's step", forward,
        {{"z_o", {z[3]}}, {"c_before", c0}, {"z_f", {z[0]}}, {"z_i", {z[1]}}, {"z_g", {z[2]}}}, dy,
        {{d.z_o}, {d.c_before}, {d.z_f}, {d.z_i}, {d.z_g}},
        {{"z_o", {dy[0] * std::tanh(s.c)}, "That is dL/do; on the way to z_o it passes o (1 - o)."},
         {"z_o", {dy[0] * s.c * s.o * (1 - s.o)}, "h = o tanh(c): the other factor is tanh(c)."},
         {"c_before", {dy[1] * s.f}, "That is from the next step alone; c is also shown, through h."},
         {"c_before", {through_h * s.f}, "That is through h alone; dc comes in as well."},
         {"c_before", {(dy[1] + dy[0] * s.o) * s.f}, "h has tanh(c), and its slope is missing."},
         {"z_f", {dc * s.c * s.f * (1 - s.f)}, "f multiplies c_before, and not c: the memory is one step off."},
         {"z_f", {dc * s.c_before}, "That is dL/df; on the way to z_f it passes f (1 - f)."},
         {"z_i", {dc * s.g}, "That is dL/di; on the way to z_i it passes i (1 - i)."},
         {"z_g", {dc * s.i * s.g * (1 - s.g)}, "g is a tanh: its slope is 1 - g^2."},
         {"z_g", {dc * s.i}, "That is dL/dg; on the way to z_g it passes 1 - g^2."}});
  }
  return "dL/dc_{t-1} = f_t dL/dc_t: the gates' weights learn from "
         "the rest, and the memory's path is this one product.";
}
