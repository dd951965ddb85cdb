// 36. Write a backward: the additive score
//
//     e_i = sum_k v_k tanh(q_k + m_{i,k})        q = W s + b,  m_i = U h_i
//
// At one target step, with q already made of the query s and m of the memory: N positions, A units, and m_{i,k} is
// m[i * A + k]. Given dL/de, return the gradients of v, q and m.
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

struct ScoreGradients {
  Vector v, q, m;
};

ScoreGradients additive_score_backward(const Vector& v, const Vector& q, const Vector& m, const Vector& de) {
  const std::size_t A = v.size(), N = de.size();
  ScoreGradients d{Vector(A), Vector(A), Vector(N * A)};
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t k = 0; k < A; ++k) {
      const double a = std::tanh(q[k] + m[i * A + k]);
      // HERE: what position i adds to d.v[k], d.m[i * A + k] and d.q[k]
    }
  return d;
}
