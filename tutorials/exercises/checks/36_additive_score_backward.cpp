// EXPECTED: additive_score_backward returns dL/dv, dL/dq (A numbers each) and dL/dm (N x A).
// HINT: e_i is v_k times a, a = tanh(z): v_k gets de_i a, and z gets de_i v_k (1 - a^2). q_k and m_{i,k} are
//   both in z.
// SHIPPED: additive score: dL/dv
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (const auto& [positions, units] : {std::pair<std::size_t, std::size_t>{4, 3}, {2, 5}, {1, 1}}) {
    const std::size_t N = positions, A = units;
    const Vector v = noise(A, 1), q = noise(A, 2), m = noise(N * A, 3), de = noise(N, 4);
    const auto forward = [N, A](const std::vector<Vector>& at) {
      Vector e(N);
      for (std::size_t i = 0; i < N; ++i)
        for (std::size_t k = 0; k < A; ++k) e[i] += at[0][k] * std::tanh(at[2][k] + at[1][i * A + k]);
      return e;
    };
    Vector last_v(A), last(A), no_slope(N * A), no_v(N * A);
    for (std::size_t i = 0; i < N; ++i)
      for (std::size_t k = 0; k < A; ++k) {
        const double a = std::tanh(q[k] + m[i * A + k]);
        last_v[k] = de[i] * a;
        last[k] = de[i] * v[k] * (1 - a * a);
        no_slope[i * A + k] = de[i] * v[k];
        no_v[i * A + k] = de[i] * (1 - a * a);
      }
    const auto d = additive_score_backward(v, q, m, de);
    check_backward("the additive score", forward, {{"v", v}, {"m", m, A}, {"q", q}}, de, {d.v, d.m, d.q},
                   {{"v", last_v, "That is from the last position alone: all positions use the same v."},
                    {"m", no_slope, "The slope of tanh, 1 - a^2, is missing."},
                    {"m", no_v, "On the way back from e_i stands v_k."},
                    {"q", last, "That is from the last position alone: one query asks all of them."}});
  }
  return "The query hears from every position, each position for "
         "itself: so a score learns where it should have looked.";
}
