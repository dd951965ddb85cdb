#include "autodiff/causes/causes.hpp"

#include <span>

#include "autodiff/causes/evidence.hpp"

namespace hindsight {
namespace {

using namespace causes;

using Known = Found (*)(const Evidence&);

// What shows at a glance, and what takes more looking; in either the cause that explains more by less comes first.
constexpr Known simple[] = {makes_nan,  float_precision, kink,               overwritten, constant_factor,
                            transposed, exchanged_gates, of_another_operand, one_step_off};
constexpr Known others[] = {part_of_the_result, last_contribution, another_factor,     wrong_derivative,
                            elementwise_part,   missing_term,      exchanged_elements, wrong_derivative_of_the_result,
                            at_another_value};

Found first_that_fits(std::span<const Known> known, const Evidence& e) {
  for (const Known mistake : known)
    if (Found found = mistake(e)) return found;
  return {};
}

}  // namespace

std::vector<Cause> likely_causes(const CheckedMap& map, std::size_t operand) {
  const Evidence all = whole(map, operand);
  if (Found found = first_that_fits(simple, all)) return {*found};
  std::vector<Evidence> wrong_parts;
  for (Evidence& part : parts(map, operand))
    if (Fit(part).wrong() > 0) wrong_parts.push_back(std::move(part));
  const auto of_parts = [&](std::span<const Known> known) {
    std::vector<Cause> causes;
    for (const Evidence& part : wrong_parts)
      if (Found found = first_that_fits(known, part)) causes.push_back(*found);
    return causes;
  };
  const std::vector<Cause> at_a_glance = of_parts(simple);
  if (!wrong_parts.empty() && at_a_glance.size() == wrong_parts.size()) return at_a_glance;
  if (Found found = first_that_fits(others, all)) return {*found};
  std::vector<Cause> looked_for = of_parts(others);
  looked_for.insert(looked_for.end(), at_a_glance.begin(), at_a_glance.end());
  return looked_for;
}

}  // namespace hindsight
