// Checks a set of mutants: all are caught, and most are named.
#pragma once

#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <cstdio>

#include "tests/mutants/mutant.hpp"

namespace hindsight::mutants {

#ifdef NDEBUG
inline constexpr std::uint64_t seeds = 10;
#else
inline constexpr std::uint64_t seeds = 1;  // with sanitizers each of them takes many times as long
#endif

/// The first cause is the one that a reader looks at.
inline bool named_rightly(const GradientReport& report, const Mutant& mutant) {
  const auto& names = mutant.right_names;
  return !report.causes.empty() && std::find(names.begin(), names.end(), report.causes[0].mistake) != names.end();
}

/// Every mutant is caught with every seed, no right backward is, and of a hundred at least `percent` are named rightly.
inline void check_all(const std::string& set, const std::vector<Mutant>& mutants, std::size_t at_least,
                      std::size_t percent) {
  std::size_t wrong = 0, checks = 0, named = 0;
  std::string missed;
  for (const Mutant& mutant : mutants) {
    const bool is_right = mutant.right_names.empty();
    wrong += !is_right;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const GradientReport report = mutant.check(seed);
      INFO(mutant.name << ", seed " << seed << "\n" << report.text());
      CHECK(report.ok() == is_right);
      if (is_right) continue;
      ++checks;
      if (named_rightly(report, mutant))
        ++named;
      else
        missed += mutant.name + ", seed " + std::to_string(seed) + "\n";
    }
  }
  std::printf("%s: %zu of %zu named rightly\n", set.c_str(), named, checks);
  INFO(named << " of " << checks << " named rightly; not:\n" << missed);
  CHECK(wrong >= at_least);
  CHECK(named * 100 >= checks * percent);
}

}  // namespace hindsight::mutants
