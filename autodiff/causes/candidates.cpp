#include "autodiff/causes/candidates.hpp"

#include <algorithm>

namespace hindsight::causes {
namespace {

/// The places along a tensor's first axis, where its other axes are these: "x[Time 2]".
std::vector<Field> parts_of(const Field& field, const std::vector<NamedAxis>& axes) {
  std::vector<Field> all;
  if (field.axes.size() != axes.size() + 1 || !std::equal(axes.begin(), axes.end(), field.axes.begin() + 1)) return all;
  const auto each = static_cast<std::ptrdiff_t>(count(axes));
  for (std::size_t i = 0; i < field.axes[0].extent; ++i) {
    const auto begin = field.values.begin() + static_cast<std::ptrdiff_t>(i) * each;
    all.push_back({field.name + "[" + field.axes[0].name + " " + std::to_string(i) + "]",
                   axes,
                   {begin, begin + each},
                   "a part of " + field.name});
  }
  return all;
}

}  // namespace

std::vector<Candidate> candidates(const CheckedMap& map, const Field& field) {
  std::vector<Candidate> all;
  const auto add = [&](const Field& other) {
    if (other.axes != field.axes || other.values == field.values) return;
    const bool operand = std::any_of(map.operands.begin(), map.operands.end(),
                                     [&](const MapOperand& o) { return o.field.values == other.values; });
    const bool step = !operand && !other.made_by.empty() && other.made_by == field.made_by;
    all.push_back({(step ? "one step off: taken at " : "taken at ") + other.name + " where " + field.name + " belongs",
                   step ? Mistake::step_off : Mistake::other_value, other.values});
  };
  const auto add_with_gates = [&](const Field& other) {
    add(other);
    for (const Field& gate : gates_of(other)) add(gate);
    for (const Field& part : parts_of(other, field.axes)) add(part);
  };
  for (const MapOperand& operand : map.operands) add_with_gates(operand.field);
  add_with_gates(map.result);
  for (const Field& other : map.elsewhere) add_with_gates(other);

  std::size_t stride = 1;
  for (std::size_t d = field.axes.size(); d-- > 0; stride *= field.axes[d].extent)
    for (const bool later : {true, false}) {  // each place along an axis taken for its neighbour
      const std::size_t extent = field.axes[d].extent;
      std::vector<double> shifted = field.values;
      for (std::size_t j = 0; j < shifted.size(); ++j) {
        const std::size_t i = j / stride % extent;
        if (later ? i + 1 < extent : i > 0) shifted[j] = field.values[later ? j + stride : j - stride];
      }
      if (extent > 1)
        all.push_back({field.name + " is taken one step off along " + field.axes[d].name, Mistake::step_off, shifted});
    }
  if (field.axes.size() == 2 && field.axes[0].extent == field.axes[1].gate_extent()) {
    const std::size_t columns = field.axes[1].extent, each = field.axes[0].extent;
    std::vector<double> turned(field.values.size());
    for (std::size_t i = 0; i < turned.size(); ++i)
      turned[i] = field.values[i % each * columns + i % columns / each * each + i / columns];
    all.push_back({field.name + " is used transposed", Mistake::transposed, turned});
  }
  return all;
}

}  // namespace hindsight::causes
