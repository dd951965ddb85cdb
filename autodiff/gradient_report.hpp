// What a gradient check found: every element that was compared, and the text that is printed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autodiff/named_axis.hpp"

namespace hindsight {

/// One element: its gradient by the backward pass, and its slope by finite differences.
struct CheckedElement {
  std::size_t index;     // row-major
  double analytic;
  double numeric;
  double rounding;       // what the rounding of the outputs may make of `numeric`
  bool kink;             // not differentiable here
  double off;            // |analytic - numeric|; at a kink, how far outside of the one-sided slopes
  double scale = 0;      // the largest gradient of its block
  double error = 0;      // off / scale
};

class SlopeEstimate;
/// Element `index` with the gradient `analytic`; its scale and error are those of its block, and not known yet.
CheckedElement compared_with(std::size_t index, double analytic, const SlopeEstimate& slope);

/// A parameter or an input, and its elements that were compared, in order.
struct CheckedTensor {
  std::string path;
  std::vector<NamedAxis> axes;
  std::vector<CheckedElement> elements = {};

  std::size_t size() const { return count(axes); }

  /// Gradients are compared within a block: a gate where the last axis is made of gates, else a row
  /// along the last axis.
  std::size_t block(std::size_t index) const;
  std::size_t blocks() const;

  /// The gate an element belongs to; 0 where there are none.
  std::size_t gate(std::size_t index) const;

  /// Fills in `scale` and `error` of all elements; `largest` is of each block, its elements aside.
  void scale(std::vector<double> largest);
};

/// What wrong gradients come from, as far as their pattern shows it.
enum class Mistake {
  nan,             // the backward pass makes NaN, or f is NaN
  sign,            // flipped
  factor,          // a constant: counted twice, divided by the batch or not at all
  transposed,
  exchanged,       // the gradients of two gates, parameters or elements
  derivative,      // a factor such as y (1 - y) or 1 - y^2 is missing, or is that of another value
  other_value,     // taken at the value of another tensor
  missing_term,    // of a sum
  overwritten,     // instead of accumulated
  step_off,        // one place along an axis
  cut_off,         // zero where it is not
  not_reduced,     // over a broadcast axis
  float_precision, // right as far as float tells, and checked in double
  kink,            // not differentiable at this point
};

/// A likely cause, and where: "the sign is flipped", "z in lstm(z, c)".
struct Cause {
  Mistake mistake;
  std::string text;
  std::string place;
};

/// The outcome of `check_gradients`.
struct GradientReport {
  double tolerance = 0;
  std::vector<CheckedTensor> tensors;
  /// What the wrong gradients look like they come from; a statement whose backward is wrong in a way that has no
  /// pattern has no cause, and is one of `unexplained`.
  std::vector<Cause> causes;
  std::vector<std::string> unexplained;
  /// Why the check is void, whatever the elements say: nothing was checked, f is not deterministic.
  std::vector<std::string> problems;

  /// Whether anything was checked and all of it is right. A NaN is wrong.
  bool ok() const;
  /// How many elements were compared; those that are unresolved do not count.
  std::size_t checked() const;
  /// How many elements are wrong.
  std::size_t failed() const;
  /// How many elements are neither right nor wrong, for the rounding of the outputs.
  std::size_t unresolved() const;
  /// How many elements are not differentiable where they are.
  std::size_t kinks() const;
  /// The largest error of those compared; NaN if there is one.
  double worst() const;

  /// A table of the worst elements, with the likely cause where there is a pattern; one line if all
  /// is well.
  std::string text() const;

  /// Whether an element is wrong. A NaN is.
  bool wrong(const CheckedElement& e) const { return !(e.error <= tolerance || e.off <= e.rounding); }

  /// Whether an element of a tensor is wrong.
  bool any_wrong(const CheckedTensor& tensor) const;

  /// Whether the rounding of the outputs leaves open if an element is right: it is further off than the
  /// tolerance, but not further than rounding makes it; or it is so small that a factor of 2 would not
  /// be seen. What is exactly 0 both ways is seen.
  bool unresolved(const CheckedElement& e) const {
    const bool tiny = e.rounding > 0.1 * e.scale && !(e.analytic == 0 && e.numeric == 0);
    return !wrong(e) && (e.error > tolerance || tiny);
  }
};

}  // namespace hindsight
