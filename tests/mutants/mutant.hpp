// Backwards that are wrong on purpose, and what the gradient checker must call them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "autodiff/gradcheck.hpp"

namespace hindsight::mutants {

/// A wrong backward inside of a model that is otherwise right.
struct Mutant {
  std::string name;                 // "lstm, forget gate: y (1 - y) is missing"
  std::vector<Mistake> right_names; // how it may be called; empty: it is right, and must pass
  std::function<GradientReport(std::uint64_t seed)> check;
};

/// An input that the seed and its name determine, uniform in [-1, 1).
template <IsAxis... As, class... Given>
CheckedInput<As...> drawn(const std::string& name, std::uint64_t seed, Extent<Given>... given) {
  std::vector<double> values(detail::count(detail::extents_of(Axes<As...>{}, given...)));
  fill_uniform(values.size(), -1.0, 1.0, Random{seed}.child(name), values.data());
  return input<As...>(name, std::move(values), given...);
}

std::vector<Mutant> by_rule();         // generated: every gate, every operand, every step offset
std::vector<Mutant> real_mistakes();   // written after mistakes that people make
std::vector<Mutant> more_mistakes();   // so too, in other operations
std::vector<Mutant> unseen();          // so too, and looked at when causes were told as they are

}  // namespace hindsight::mutants
