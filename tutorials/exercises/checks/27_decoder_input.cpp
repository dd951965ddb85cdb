// EXPECTED: decoder_inputs(targets, bos) returns as many symbols as there are targets: what is known before
//   each of them.
// HINT: When y_t is asked for, which symbol was the last that was written? And at the first step?
// SHIPPED: is fed the answer
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  for (const std::vector<int>& y : {std::vector<int>{5, 7, 6, 2}, {9, 4, 2}, {2}}) {
    const std::vector<int> x = decoder_inputs(y, 1);
    if (x.size() != y.size()) {
      const char* const more = x.size() == y.size() + 1 ? "\nThe last target is an input of no step." : "";
      fail(text("A decoder with %zu targets makes as many steps; you give it %zu inputs.%s", y.size(), x.size(), more));
    }
    if (x == y)
      fail(text("At step 1 the decoder is asked for %d and is fed the answer, "
                "%d; so at every step. It learns to copy its input.", y[0], x[0]));
    if (x[0] != 1)
      fail(text("At step 1 nothing is written yet: the input should be bos, which is 1, and is %d.", x[0]));
    for (std::size_t t = 1; t < y.size(); ++t)
      if (x[t] != y[t - 1])
        fail(text("At step %zu the last symbol written was %d; the decoder is fed %d.", t + 1, y[t - 1], x[t]));
  }
  return "Inputs are the targets, shifted by one. A loss that falls at once to 0 is a leak until shown otherwise.";
}
