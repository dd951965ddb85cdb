// EXPECTED: gru_step_backward returns dL/da of both gates and the candidate, and dL/dh_before.
// HINT: h has z twice, so dL/dz = dL/dh (h_before - n). Then a_n, which r and h_before need: u r h_before goes
//   the same way.
// SHIPPED: a GRU's step: dL/da_z
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const auto sigmoid = [](double a) { return 1 / (1 + std::exp(-a)); };
  for (std::uint64_t seed : {1, 2, 3, 4}) {
    const Vector a = noise(3, seed, 2), h0 = noise(1, seed + 10), dh = noise(1, seed + 20);
    const double u = noise(1, seed + 30, 2)[0];
    const auto forward = [&](const std::vector<Vector>& at) {  // a_z, a_n, a_r, h_before
      const double z = sigmoid(at[0][0]), n = std::tanh(at[1][0] + u * sigmoid(at[2][0]) * at[3][0]);
      return Vector{z * at[3][0] + (1 - z) * n};
    };
    const double r = sigmoid(a[2]), z = sigmoid(a[0]), n = std::tanh(a[1] + u * r * h0[0]), g = dh[0];
    const auto d = gru_step_backward({r, z, n, h0[0], u}, g);
    const double a_n = g * (1 - z) * (1 - n * n);
    check_backward("a GRU's step", forward, {{"a_z", {a[0]}}, {"a_n", {a[1]}}, {"a_r", {a[2]}}, {"h_before", h0}}, dh,
                   {{d.a_z}, {d.a_n}, {d.a_r}, {d.h_before}},
                   {{"a_z", {g * (h0[0] - n)}, "That is dL/dz; on the way to a_z it passes z (1 - z)."},
                    {"a_z", {g * h0[0] * z * (1 - z)}, "z is in the second product too, as 1 - z."},
                    {"a_z", {g * (n - h0[0]) * z * (1 - z)}, "The sign: z is the old state's share."},
                    {"a_n", {g * z * (1 - n * n)}, "The candidate's share is 1 - z."},
                    {"a_n", {g * (1 - z)}, "That is dL/dn; on the way to a_n it passes 1 - n^2."},
                    {"a_r", {a_n * u * h0[0]}, "That is dL/dr; on the way to a_r it passes r (1 - r)."},
                    {"h_before", {g * z}, "That is what is kept; the candidate saw "
                                          "h_before as well, through r and u."}});
  }
  return "dh_t / dh_{t-1} = z plus what goes through the candidate: "
         "with z near 1 the old state's gradient passes whole.";
}
