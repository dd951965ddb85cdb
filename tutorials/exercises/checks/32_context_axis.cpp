// EXPECTED: context(alpha, h) returns for each sentence one vector over Hidden, the sum of its states times
//   their weights.
// HINT: The index under the sum sign is the axis to contract. Which type is i?
// SHIPPED: does not compile: contract axis not in left operand
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  hindsight::Tape tape;
  const auto alpha = hindsight::constant<Source, Batch>(noise(10, 1));
  const auto h = hindsight::constant<Source, Batch, Hidden>(noise(30, 2));
  const auto c = context(alpha, h);
  if (c.size() != 6)
    fail(text("c has %zu numbers; it should have one for each of 3 units of each of 2 "
              "sentences.\nThe sum is over the source positions; the sentences are kept apart.", c.size()));
  Vector right(6);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t k = 0; k < 3; ++k) right[b * 3 + k] += alpha.at(i, b) * h.at(i, b, k);
  compare("the context of two sentences", {"c", right, 3}, c.values());
  return "A weighted sum has the size of one summand: a source of any length "
         "becomes one vector, and it is another one at every step.";
}
