// EXPECTED: bits(task, S, T) returns log2 of how many sources the vector must be able to tell apart.
// HINT: Two sources may share a vector if every later question has the same answer for both. How many kinds are
//   left?
// SHIPPED: sources that answer alike may share a vector
#include <map>
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

namespace {
/// How many kinds of sources there are, by trying all: two are of one kind if all answers about them are equal.
std::size_t kinds(Task task, std::size_t S, std::size_t T) {
  std::map<std::vector<std::size_t>, int> answers;
  std::size_t all = 1;
  for (std::size_t t = 0; t < T; ++t) all *= S;
  for (std::size_t source = 0; source < all; ++source)
    for (std::size_t k = 0; k < (task == Task::told_before ? T : 1); ++k) {
      std::vector<std::size_t> x;
      std::size_t zeros = 0;
      for (std::size_t t = 0, rest = source; t < T; ++t, rest /= S) x.push_back(rest % S), zeros += rest % S == 0;
      if (task == Task::last_symbol) x = {x.back()};
      if (task == Task::parity) x = {zeros % 2};
      if (task == Task::told_before) x = {x[k]};
      ++answers[x];  // reciting, and any k that may be asked for later: all of x
    }
  return answers.size();
}
}  // namespace

std::string exercise::check() {
  const std::pair<Task, const char*> tasks[] = {{Task::recite, "recite"}, {Task::last_symbol, "last_symbol"},
                                                {Task::parity, "parity"}, {Task::told_before, "told_before"},
                                                {Task::told_after, "told_after"}};
  for (const auto& [task, name] : tasks)
    for (const auto& [S, T] : {std::pair<std::size_t, std::size_t>{4, 5}, {3, 4}, {8, 3}, {2, 6}}) {
      const double found = bits(task, static_cast<double>(S), static_cast<double>(T));
      const std::size_t right = kinds(task, S, T);
      if (std::abs(found - std::log2(static_cast<double>(right))) < 1e-9) continue;
      fail(text("%s, %zu symbols of %zu: you say %.4g bits, enough to tell %.0f sources apart.\n", name, T, S, found,
                std::exp2(found)) +
           (found > std::log2(static_cast<double>(right))
                ? "Fewer will do: sources that answer alike may share a vector."
                : "That is too few: there are sources with different answers that would share a vector."));
    }
  return "Not length, but what must be kept until it is known what for. Reciting feels "
         "it, and so does being asked after; reading on demand is the way out.";
}
