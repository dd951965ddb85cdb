// The entries of a Jacobian, d result_k / d operand_j, and what a tensor's value is at each of them.
//
// A factor of d result_k / d operand_j may belong to k, as 1 - y^2 of the result does, to j, as a gate of the operand, or to
// both, as x does in the gradient of W. The names of the axes tell: each axis of the factor is one of the result's or one of the
// operand's.
#pragma once

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {

/// A number at each entry, by what it is called.
struct Factor {
  std::string text;
  std::vector<double> at;
  bool plain = true;  // a tensor itself, and not a function of one
};

class Entries {
 public:
  /// Those that are not 0; with `zeros` all in which the axes agree that both result and operand have.
  explicit Entries(const Evidence& e, bool zeros = false);

  std::size_t size() const { return jacobian_.size(); }
  /// d result_k / d operand_j at each entry.
  const std::vector<double>& jacobian() const { return jacobian_; }

  /// A tensor at each entry: once for each way in which its axes can be those of result and operand.
  std::vector<Factor> at(const Field& field) const;

  /// The tensors at hand, and the sums of two that stand inside of an activation: z + b, keys + query.
  std::vector<Factor> at_hand() const;

  /// The gradients, were the entries d result_k / d operand_j times `scale`.
  std::vector<double> scaled(const std::vector<double>& scale) const;
  /// The gradients, were the entries `values`.
  std::vector<double> replaced(const std::vector<double>& values) const;

  /// Which entries belong to a gate of the result.
  struct Part {
    std::string name;
    std::vector<bool> in;
  };
  std::vector<Part> gates_of_result() const;

 private:
  const Evidence& e_;
  std::vector<std::size_t> result_, element_;  // k and j of each entry
  std::vector<double> jacobian_;
};

}  // namespace hindsight::causes
