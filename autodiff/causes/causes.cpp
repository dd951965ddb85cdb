#include "autodiff/causes/causes.hpp"

#include <span>

#include "autodiff/causes/evidence.hpp"

namespace hindsight {
namespace {

using namespace causes;

using Known = Found (*)(const Evidence&);

// What shows at a glance, what takes more looking, and what else it may be. Within each the cause that explains more by
// less comes first.
constexpr Known simple[] = {makes_nan,  float_precision, kink,        overwritten, constant_factor,
                            transposed, exchanged_gates, one_step_off};
constexpr Known structural[] = {part_of_the_result, last_contribution, another_factor, wrong_derivative, elementwise_part,
                                missing_term,       exchanged_elements};
constexpr Known other[] = {of_another_operand, at_another_tensor, wrong_jacobian, at_another_value, float_backward};
constexpr std::span<const Known> tiers[] = {simple, structural, other};

Found first_that_fits(std::span<const Known> known, const Evidence& e) {
  for (const Known mistake : known)
    if (Found found = mistake(e)) return found;
  return {};
}

}  // namespace

std::vector<Cause> likely_causes(const CheckedMap& map, std::size_t operand) {
  const Evidence all = whole(map, operand);
  std::vector<std::optional<Evidence>> wrong_parts;
  for (Evidence& part : parts(map, operand))
    if (Fit(part).wrong() > 0) wrong_parts.emplace_back(std::move(part));
  std::vector<Cause> of_parts;
  for (const std::span<const Known> tier : tiers) {
    if (Found found = first_that_fits(tier, all)) return {*found};
    // The parts that are not explained yet.
    for (std::optional<Evidence>& part : wrong_parts)
      if (Found found = part ? first_that_fits(tier, *part) : Found{}) {
        of_parts.push_back(*found);
        part.reset();
      }
    if (of_parts.size() == wrong_parts.size() && !of_parts.empty()) break;
  }
  return of_parts;
}

}  // namespace hindsight
