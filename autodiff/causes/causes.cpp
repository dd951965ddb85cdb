#include "autodiff/causes/causes.hpp"

#include <algorithm>
#include <span>

#include "autodiff/causes/evidence.hpp"

namespace hindsight {
namespace {

using namespace causes;

using Known = Found (*)(const Evidence&);

// What shows at a glance, what takes more looking, and what else it may be. Within each the cause that explains more by
// less comes first.
constexpr Known simple[] = {makes_nan,    float_precision, kink,         overwritten,        constant_factor,
                            transposed,   exchanged_gates, one_step_off, exchanged_operands, exchanged_elements,
                            only_the_sign};
constexpr Known structural[] = {part_of_the_result, last_contribution, another_factor,         wrong_derivative,
                                missing_path,       elementwise_part,  beside_the_direct_path, wrong_direct_path,
                                right_at_some,      missing_constant,  of_two_values,          missing_term};
constexpr Known other[] = {at_another_tensor, wrong_jacobian};
constexpr Known last[] = {of_another_operand, at_another_value, float_backward};

/// Which of them are tried, and on the whole operand or on the parts that are not explained yet.
struct Step {
  std::span<const Known> known;
  bool on_parts;
};
constexpr Step steps[] = {{simple, false},    {simple, true}, {structural, false}, {other, false},
                          {structural, true}, {other, true},  {last, false},       {last, true}};

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
  for (const auto& [known, on_parts] : steps) {
    if (!on_parts) {
      if (Found found = first_that_fits(known, all)) return {*found};
      continue;
    }
    for (std::optional<Evidence>& part : wrong_parts)
      if (Found found = part ? first_that_fits(known, *part) : Found{}) {
        of_parts.push_back(*found);
        part.reset();
      }
    if (of_parts.size() == wrong_parts.size() && !of_parts.empty()) break;
  }
  // Places along an axis that are off by factors of their own have one factor in common, which differs from one to the
  // next.
  const auto is_factor = [](const Cause& cause) { return cause.mistake == Mistake::factor; };
  const NamedAxis* first = all.axes.empty() || !all.axes.back().gates.empty() ? nullptr : &all.axes.front();
  if (first && of_parts.size() > 1 && std::all_of(of_parts.begin(), of_parts.end(), is_factor) &&
      std::any_of(of_parts.begin(), of_parts.end(), [&](const Cause& c) { return c.text != of_parts[0].text; }))
    return {{Mistake::derivative,
             "a factor is missing, or another's, that differs from place to place along " + first->name, all.name}};
  return of_parts;
}

}  // namespace hindsight
