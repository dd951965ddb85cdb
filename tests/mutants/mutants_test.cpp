// Wrong backwards by the dozen: the gradient checker catches every one and calls it by the right name, and finds nothing
// wrong with the right ones. The names of causes were worked out on the mutants that are made by rule; those written
// after real mistakes were written without knowing how causes are told.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>

#include "tests/mutants/mutant.hpp"

using namespace hindsight;
using namespace hindsight::mutants;

namespace {

#ifdef NDEBUG
constexpr std::uint64_t seeds = 10;
#else
constexpr std::uint64_t seeds = 1;  // with sanitizers each of them takes many times as long
#endif

struct Tally {
  std::size_t mutants = 0, checks = 0, named = 0;
  std::string missed;  // what was not named rightly, a line each
};

/// The first cause is the one that a reader looks at.
bool named_rightly(const GradientReport& report, const Mutant& mutant) {
  const auto& names = mutant.right_names;
  return !report.causes.empty() && std::find(names.begin(), names.end(), report.causes[0].mistake) != names.end();
}

Tally check_all(const std::vector<Mutant>& mutants) {
  Tally tally;
  for (const Mutant& mutant : mutants) {
    tally.mutants += !mutant.right_names.empty();
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const GradientReport report = mutant.check(seed);
      INFO(mutant.name << ", seed " << seed << "\n" << report.text());
      CHECK(report.ok() == mutant.right_names.empty());
      if (mutant.right_names.empty()) continue;
      ++tally.checks;
      const bool named = named_rightly(report, mutant);
      tally.named += named;
      if (!named) tally.missed += mutant.name + ", seed " + std::to_string(seed) + "\n";
    }
  }
  return tally;
}

}  // namespace

TEST_CASE("mutants by rule: all are caught, and named rightly") {
  const Tally tally = check_all(by_rule());
  INFO(tally.named << " of " << tally.checks << " named rightly; not:\n" << tally.missed);
  CHECK(tally.mutants >= 20);
  CHECK(tally.named * 100 >= tally.checks * 85);
}

TEST_CASE("mutants after real mistakes: all are caught, and at least 85 in 100 named rightly") {
  const Tally tally = check_all(real_mistakes());
  INFO(tally.named << " of " << tally.checks << " named rightly; not:\n" << tally.missed);
  CHECK(tally.mutants >= 20);
  CHECK(tally.named * 100 >= tally.checks * 85);
}
