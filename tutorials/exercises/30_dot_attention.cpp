// 30. Complete: attention with a dot score
//
//     e_i = s . h_i        alpha = softmax(e)        c = sum_i alpha_i h_i
//
// A decoder's state s asks the encoder's states h_1 .. h_N, each of H numbers; h[i * H + k] is unit k of
// state i. All the states are kept, and one vector c is read. The scores are missing: it reads the mean, whatever
// is asked.
#include <algorithm>
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

Vector read(const Vector& s, const Vector& h) {
  const std::size_t H = s.size(), N = h.size() / H;
  Vector e(N), c(H);
  // HERE: e[i]
  double largest = e[0], sum = 0;
  for (const double e_i : e) largest = std::max(largest, e_i);
  for (double& e_i : e) sum += e_i = std::exp(e_i - largest);
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t k = 0; k < H; ++k) c[k] += e[i] / sum * h[i * H + k];
  return c;
}
