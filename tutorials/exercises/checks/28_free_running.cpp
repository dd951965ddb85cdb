// EXPECTED: write(decoder, targets, bos) returns what the decoder writes when it hears nothing but itself.
// HINT: Which symbol stands before the next one when there is no teacher?
// SHIPPED: the decoder was told the right symbol
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  // It has learned to count, 1 2 3 4 ..; but takes 3 for 7.
  const auto decoder = [](int y) { return y == 3 ? 7 : y + 1; };
  const std::vector<int> targets{2, 3, 4, 5, 6}, alone{2, 3, 7, 8, 9};
  const std::vector<int> found = write(decoder, targets, 1);
  if (found == std::vector<int>{2, 3, 7, 5, 6})
    fail("This decoder counts, but says 7 after 3. It should write 2 3 7 8 9, of which 2 are right;\n"
         "yours writes 2 3 7 5 6: after its mistake the decoder was told the right symbol.");
  if (found != alone) {
    std::string line;
    for (const int y : found) line += text(" %d", y);
    fail("This decoder counts, but says 7 after 3. From 1 it should write 2 3 7 8 9; yours writes" + line + ".");
  }
  if (write(decoder, {0, 0}, 7) != std::vector<int>{8, 9})
    fail("From 7 it should write 8 9, whatever the targets are: they only say how many.");
  return "By itself a decoder lives with its own mistakes. With a teacher 4 of 5 would have been right here, alone 2.";
}
