#include "models/adding_problem.hpp"

namespace hindsight {

AddingProblems draw_adding_problems(std::size_t count, std::size_t steps, const Random& random) {
  AddingProblems p{steps, std::vector<float>(steps * count * 2), std::vector<float>(count)};
  for (std::size_t b = 0; b < count; ++b) {
    const Random mine = random.child(b);
    const std::size_t marked[] = {mine.below(steps / 2, steps), steps / 2 + mine.below(steps - steps / 2, steps + 1)};
    for (std::size_t t = 0; t < steps; ++t) {
      float* at = &p.inputs[(t * count + b) * 2];
      at[0] = static_cast<float>(mine.uniform(t));
      at[1] = t == marked[0] || t == marked[1];
      if (at[1] != 0) p.sums[b] += at[0];
    }
  }
  return p;
}

}  // namespace hindsight
