// Axes by their names, at run time: what messages and listings are made of.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hindsight {

/// "Hidden", or "Gates<Hidden, Forget, Input>" with the names of its gates and of the axis that each is as long as.
struct NamedAxis {
  std::string name;
  std::size_t extent;
  std::vector<std::string> gates = {};
  std::string each = {};

  /// How long a gate is; the whole axis where there are none.
  std::size_t gate_extent() const { return gates.empty() ? extent : extent / gates.size(); }
  /// "Hidden[3]"; on a block of gates the gate and the place in it, "Forget[3]".
  std::string position(std::size_t i) const;

  bool operator==(const NamedAxis&) const = default;
};

/// The axes of "Batch x Gates<Hidden, Forget, Input>"; those that a text does not name have the name "".
std::vector<NamedAxis> named_axes(std::string_view text, const std::vector<std::size_t>& extents);

/// How many elements there are.
std::size_t count(const std::vector<NamedAxis>& axes);

/// Where element i lies: "Batch[1] Forget[3]"; "scalar" where there are no axes.
std::string position(const std::vector<NamedAxis>& axes, std::size_t i);

/// The parts of a text between separators that stand outside of <>.
std::vector<std::string> split_outside_brackets(std::string_view text, std::string_view separator);

}  // namespace hindsight
