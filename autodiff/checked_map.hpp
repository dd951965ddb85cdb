// A map whose backward is looked at by itself: one statement of a recording, or a function with a backward that
// was written by hand. What it takes, what it gives, and the gradients two ways: this is what causes are told from.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "autodiff/named_axis.hpp"
#include "autodiff/random.hpp"

namespace hindsight {

/// A tensor's values, with its name and axes.
struct Field {
  std::string name;
  std::vector<NamedAxis> axes;
  std::vector<double> values;
  std::string made_by = {};  // "lstm(%0, %1)": tensors that one expression made at different steps
};

/// An operand of a map: its values, and what is known of the gradient by it.
struct MapOperand {
  Field field;
  bool overwrites = false;       // its backward loses the gradient that was there before
  std::vector<double> analytic;  // by the backward that is checked
  std::vector<double> jacobian;  // d result_k / d operand_j by finite differences, result x operand, row-major
  std::vector<double> numeric;   // sum_k seed_k d result_k / d operand_j
  std::vector<double> analytic_jacobian = {};  // by that backward, one result at a time; empty where it was not run so
};

/// Values that an operand is given instead of its own.
struct Substitution {
  std::size_t operand;
  std::span<const double> values;
};

struct CheckedMap {
  std::string name;  // "lstm(z, c)"
  Field result;
  std::vector<double> seed;  // the result's gradient
  std::vector<MapOperand> operands;
  std::span<const Field> elsewhere;  // other tensors, which a wrong backward may have taken for an operand
  /// The result at other values.
  std::function<std::vector<double>(std::span<const Substitution>)> evaluate;
};

/// The gradient of a result that is checked: signs at random and sizes in [0.5, 1.5), so that no element is lost and
/// nothing cancels.
std::vector<double> random_seed(std::size_t size, const Random& random);

/// The slope of the seeded result along `direction` from an operand's values `at`, with other operands replaced.
double slope_along(const CheckedMap& map, std::size_t operand, const std::vector<double>& at,
                   const std::vector<double>& direction, double step, std::span<const Substitution> others = {});

/// Whether the analytic gradients by an operand agree with the slopes along three random directions from `at`.
bool agrees(const CheckedMap& map, std::size_t operand, const std::vector<double>& at, double step, double tolerance,
            std::span<const Substitution> others = {});

/// Fills in `jacobian` and `numeric` of an operand from values of the map.
void differentiate(CheckedMap& map, std::size_t operand);

/// Whether the backward is further off than `tolerance`, relative to the largest gradient of the operand.
bool is_wrong(const MapOperand& operand, double tolerance);

}  // namespace hindsight
