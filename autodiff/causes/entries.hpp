// The entries of a Jacobian, d result_k / d operand_j, and what a tensor's value is at each of them.
//
// A factor of d result_k / d operand_j may belong to k, as 1 - y^2 of the result does, to j, as a gate of the operand,
// or to both, as x does in the gradient of W. The names of the axes tell: each axis of the factor is one of the
// result's or one of the operand's.
#pragma once

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {

/// A number at each entry, by what it is called.
struct Factor {
  std::string text;
  std::vector<double> at;
  bool plain = true;                    // a tensor itself, and not a function of one
  std::string first = {}, second = {};  // of a sum or a difference, its terms
};

class Entries {
 public:
  /// Those that are not 0; with `zeros` all in which the axes agree that both result and operand have.
  explicit Entries(const Evidence& e, bool zeros = false);

  std::size_t size() const { return jacobian_.size(); }
  /// d result_k / d operand_j at each entry.
  const std::vector<double>& jacobian() const { return jacobian_; }
  std::size_t result(std::size_t n) const { return result_[n]; }
  std::size_t element(std::size_t n) const { return element_[n]; }

  /// A tensor at each entry: once for each way in which its axes can be those of result and operand.
  std::vector<Factor> at(const Field& field) const;

  /// The tensors at hand, and the sums and differences of two: z + b and keys + query inside of an activation, h - n.
  std::vector<Factor> at_hand() const;

  /// Would the backward that is checked have these entries? Asked of each entry where its entries are known, and else
  /// of the gradients.
  template <class Entry>
  bool fits(Entry entry) const {
    if (size() == 0 || elsewhere_) return false;
    for (std::size_t n = 0; n < analytic_.size(); ++n)
      if (!(std::abs(entry(n) - analytic_[n]) <= slack_)) return false;
    if (!analytic_.empty()) return true;
    std::vector<double> gradients(e_.size(), 0.0);
    for (std::size_t n = 0; n < size(); ++n) gradients[element_[n]] += e_.map.seed[result_[n]] * entry(n);
    return gradients_(gradients);
  }

  /// Which entries belong to a gate of the result.
  struct Part {
    std::string name;
    std::vector<bool> in;
  };
  std::vector<Part> gates_of_result() const;

 private:
  const Evidence& e_;
  Fit gradients_;
  std::vector<std::size_t> result_, element_;  // k and j of each entry
  std::vector<double> jacobian_, analytic_;
  double slack_ = 0;        // of an entry
  bool elsewhere_ = false;  // the backward has entries where the result has none
};

}  // namespace hindsight::causes
