// EXPECTED: scores, keys, twice_as_long and self_attention are four numbers, which the check counts.
// HINT: At every one of T steps the decoder's state is compared with every one of N states. What of it does not
//   depend on t?
// SHIPPED: scores: you predict 0
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

namespace {
struct Count {
  double scores = 0, keys = 0;
};
/// Attention by loops: keys once a sentence, then at every step a score for every position.
Count attend(int asking, int positions) {
  Count count;
  for (int i = 0; i < positions; ++i) ++count.keys;
  for (int t = 0; t < asking; ++t)
    for (int i = 0; i < positions; ++i) ++count.scores;
  return count;
}
}  // namespace

std::string exercise::check() {
  const Count once = attend(20, 30), self = attend(30, 30);
  const double factor = attend(40, 60).scores / once.scores;
  check_prediction("scores", scores, once.scores, 1e-9,
                   {{"", {50}, "That is N + T, what an encoder and a decoder without attention take in steps."},
                    {"", {30}, "That is one step of the decoder."}});
  check_prediction("keys", keys, once.keys, 1e-9, {{"", {600}, "U h_i does not depend on t: it can "
                                                               "be kept from step to step."}});
  check_prediction("twice_as_long", twice_as_long, factor, 1e-9,
                   {{"", {2}, "Both lengths are doubled, and there is a score for each pair."},
                    {"", {2400}, "The factor is asked for: over the first number."}});
  check_prediction("self_attention", self_attention, self.scores, 1e-9,
                   {{"", {435}, "Each asks all, both ways: s_i . h_j and s_j . h_i are two scores; and itself."},
                    {"", {870}, "Each asks itself, too."}});
  return text("Counted: %.0f, %.0f, %.0f and %.0f. Reading costs N T, pressing all into one vector N + T.", once.scores,
              once.keys, factor, self.scores);
}
