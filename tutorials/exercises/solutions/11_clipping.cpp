// 11. Find the bug: gradients that are clipped
//
//     g = (g_1, g_2, ..), all gradients as one vector        if |g| > limit:  g <- g limit / |g|
//
// A step along a clipped gradient should be shorter, and go the same way (Pascanu, Mikolov and Bengio 2013). This one
// turns aside.
#include <cmath>
#include <vector>

using Vector = std::vector<double>;

/// `gradients` has one vector for each parameter: W, V, b, ..
void clip(std::vector<Vector>& gradients, double limit) {
  // One norm of all, one factor for all: the parts keep their proportions, so the direction stays.
  double square = 0;
  for (const Vector& g : gradients)
    for (const double x : g) square += x * x;
  const double norm = std::sqrt(square);
  if (norm > limit)
    for (Vector& g : gradients)
      for (double& x : g) x *= limit / norm;
}
