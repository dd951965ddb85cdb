// EXPECTED: from_pytorch returns all rows of the matrix, those of the forget gate first, then input, candidate, output.
// HINT: Where do they keep the forget gate, which comes first here?
// SHIPPED: where the forget gate should be, your matrix has the input gate
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

std::string exercise::check() {
  const char* const gates[] = {"forget", "input", "candidate", "output"};
  const std::size_t theirs_of_ours[] = {1, 0, 2, 3};
  for (const auto& [hidden, columns] : {std::pair<std::size_t, std::size_t>{3, 2}, {2, 5}, {4, 1}}) {
    const std::size_t block = hidden * columns;
    const Vector theirs = noise(4 * block, hidden);
    const Vector ours = from_pytorch(theirs, hidden, columns);
    if (ours.size() != theirs.size())
      fail(text("A matrix of %zu numbers became one of %zu.", theirs.size(), ours.size()));
    const auto part = [block](const Vector& all, std::size_t gate) {
      return Vector(all.begin() + static_cast<std::ptrdiff_t>(gate * block),
                    all.begin() + static_cast<std::ptrdiff_t>((gate + 1) * block));
    };
    for (std::size_t g = 0; g < 4; ++g)
      for (std::size_t other = 0; other < 4; ++other)
        if (other != g && part(ours, g) == part(theirs, theirs_of_ours[other]))
          fail(text("H = %zu: where the %s gate should be, your matrix has the %s gate.%s", hidden, gates[g],
                    gates[other], g + other == 1 ? "\nSo the net forgets when it should write." : ""));
    for (std::size_t g = 0; g < 4; ++g)
      compare(text("the block of the %s gate, H = %zu", gates[g], hidden),
              {"rows", part(theirs, theirs_of_ours[g]), columns}, part(ours, g));
  }
  return "Forget and input changed places, candidate and output stay. Gates have names for that reason.";
}
