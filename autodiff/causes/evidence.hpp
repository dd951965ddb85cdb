// What a cause is told from: the gradients of some elements of an operand, by the backward that is checked and by
// finite differences, and what else is at hand.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autodiff/checked_map.hpp"
#include "autodiff/gradient_report.hpp"

namespace hindsight::causes {

/// An operand's elements, or those of one gate or one place along its first axis.
struct Evidence {
  const CheckedMap& map;
  std::size_t operand;
  std::string name;  // "z", "z Forget", "x Time[0]"
  std::vector<NamedAxis> axes;
  std::vector<std::size_t> index;  // which elements of the operand these are
  std::vector<double> values, analytic, numeric;

  std::size_t size() const { return index.size(); }
  const MapOperand& by() const { return map.operands[operand]; }
  bool has_jacobian() const { return !by().jacobian.empty(); }
  double jacobian(std::size_t k, std::size_t j) const { return by().jacobian[k * by().field.values.size() + index[j]]; }
  /// The same by the backward that is checked, where that is known.
  bool has_analytic_jacobian() const { return !by().analytic_jacobian.empty(); }
  double analytic_jacobian(std::size_t k, std::size_t j) const {
    return by().analytic_jacobian[k * by().field.values.size() + index[j]];
  }
  /// The gradients, were the result's gradient `seed`.
  std::vector<double> numeric_for(const std::vector<double>& seed) const;
};

/// All elements of an operand.
Evidence whole(const CheckedMap& map, std::size_t operand);
/// Its parts: a gate each, or else a place along the first axis each; none where there is one axis only.
std::vector<Evidence> parts(const CheckedMap& map, std::size_t operand);

/// Does a mistake explain the analytic gradients? They must be what it would make of them to a millionth of the
/// largest, and to a hundredth of how far they are off.
class Fit {
 public:
  explicit Fit(const Evidence& e);
  bool operator()(const std::vector<double>& expected) const;
  /// The largest gradient, analytic or numeric.
  double largest() const { return largest_; }
  /// How many elements are wrong.
  std::size_t wrong() const;

 private:
  const Evidence& e_;
  double largest_ = 0, off_ = 0;
};

/// The same of each d result_k / d operand_j of a whole operand, where the backward was run for each result.
class JacobianFit {
 public:
  explicit JacobianFit(const Evidence& e);
  /// Is the backward's Jacobian expected(n), n = k size + j?
  template <class Expected>
  bool operator()(Expected expected) const {
    for (std::size_t n = 0; n < analytic_.size(); ++n)
      if (!(std::abs(analytic_[n] - expected(n)) <= slack_)) return false;
    return true;
  }
  double largest() const { return largest_; }
  double slack() const { return slack_; }

 private:
  const std::vector<double>& analytic_;
  double largest_ = 0, slack_ = 0;
};

/// The map's tensors, and their gates one by one, spread over these axes; those that do not fit on them are left out.
std::vector<Field> fields_on(const std::vector<NamedAxis>& axes, const CheckedMap& map);
/// What stands inside of a map that multiplies: x W, x W + h U + b, and the softmax of a product, as attention's
/// weights are.
std::vector<Field> inner_fields(const CheckedMap& map);
/// The name of an axis without From<..> and Next<..>: a map from A to A has A twice.
std::string_view bare(std::string_view name);
/// Whether two axes are as long as each other, and called the same but for that.
bool alike(const NamedAxis& a, const NamedAxis& b);
/// The place along axis d of element i.
std::size_t along(const std::vector<NamedAxis>& axes, std::size_t d, std::size_t i);
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// A tensor's gates as tensors of their own: "z Forget".
std::vector<Field> gates_of(const Field& field);
/// The values of a tensor whose axes are among `axes`, repeated along the others.
std::optional<std::vector<double>> spread(const Field& field, const std::vector<NamedAxis>& axes);

using Found = std::optional<Cause>;

// The mistakes that are known, each in its file; empty where the pattern is another one.
Found makes_nan(const Evidence& e);
Found overwritten(const Evidence& e);
Found constant_factor(const Evidence& e);
Found transposed(const Evidence& e);
Found exchanged_gates(const Evidence& e);
Found exchanged_elements(const Evidence& e);
Found of_another_operand(const Evidence& e);
Found one_step_off(const Evidence& e);
Found wrong_derivative(const Evidence& e);
Found at_another_tensor(const Evidence& e);
Found missing_path(const Evidence& e);
Found beside_the_direct_path(const Evidence& e);
Found wrong_direct_path(const Evidence& e);
Found right_at_some(const Evidence& e);
Found only_the_sign(const Evidence& e);
Found exchanged_operands(const Evidence& e);
Found wrong_jacobian(const Evidence& e);
Found part_of_the_result(const Evidence& e);
Found last_contribution(const Evidence& e);
Found elementwise_part(const Evidence& e);
Found missing_constant(const Evidence& e);
Found of_two_values(const Evidence& e);
Found missing_term(const Evidence& e);
Found at_another_value(const Evidence& e);
Found another_factor(const Evidence& e);
Found float_precision(const Evidence& e);
Found float_backward(const Evidence& e);
Found kink(const Evidence& e);

}  // namespace hindsight::causes
