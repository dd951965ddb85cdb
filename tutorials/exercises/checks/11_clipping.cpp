// EXPECTED: clip(gradients, limit) scales all gradients by the same factor where their common norm exceeds the limit.
// HINT: Which norm does the equation mean, and how many factors are there?
// SHIPPED: each parameter was clipped by its own norm
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const auto clipped = [](std::vector<Vector> g, double limit) {
    clip(g, limit);
    Vector all;
    for (const Vector& v : g) all.insert(all.end(), v.begin(), v.end());
    return all;
  };
  compare("W with norm 3 and V with norm 4, limit 1", {"g", {0.6, 0.8}}, clipped({{3}, {4}}, 1),
          {{"g", {1, 1}, "3 : 4 has become 1 : 1, so the direction is another "
                         "one: each parameter was clipped by its own norm."},
           {"g", {3.0 / 25, 4.0 / 25}, "It was divided by the square of the norm."}});
  compare("a norm of 5 under a limit of 6", {"g", {3, 4}}, clipped({{3}, {4}}, 6));
  const Vector a = noise(6, 1, 10), b = noise(4, 2, 0.1);
  double square = 0;
  for (const double x : a) square += x * x;
  for (const double x : b) square += x * x;
  Vector right = a;
  right.insert(right.end(), b.begin(), b.end());
  for (double& x : right) x *= 0.5 / std::sqrt(square);
  compare("a long gradient and a short one, limit 0.5", {"g", right}, clipped({a, b}, 0.5));
  return "Clipping shortens the step and keeps its direction. It cures exploding; what has vanished stays vanished.";
}
