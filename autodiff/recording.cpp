#include "autodiff/recording.hpp"

#include <algorithm>
#include <functional>
#include <string_view>

#include "autodiff/kernels/reduce.hpp"
#include "autodiff/named_axis.hpp"

namespace hindsight {
namespace {

const std::byte* byte_at(const void* address) { return static_cast<const std::byte*>(address); }

/// What an operand sees of a tensor: "" for all of it, "[Forget]" for a gate, "[Time 3]" for a position,
/// "[Hidden 2..]" for a part that begins there.
std::string view_of(const NamedTensor& tensor, const Statement::Operand& operand) {
  if (tensor.extents.empty() || tensor.axes.empty()) return "";
  const std::vector<NamedAxis> axes = named_axes(tensor.axes, tensor.extents);
  const std::vector<std::string> seen = split_outside_brackets(operand.axes, " x ");
  const auto sees = [&](const std::string& axis) { return std::find(seen.begin(), seen.end(), axis) != seen.end(); };
  const bool fewer = operand.axes == "scalar" || seen.size() < axes.size();  // else an axis was only renamed
  std::size_t offset = static_cast<std::size_t>(byte_at(operand.value) - byte_at(tensor.value)) / tensor.scalar_bytes;
  std::string text;
  for (std::size_t d = axes.size(); d-- > 0; offset /= std::max<std::size_t>(axes[d].extent, 1)) {
    const auto& [name, extent, gates, each] = axes[d];
    const std::size_t begin = extent == 0 ? 0 : offset % extent;
    const std::size_t gate = begin / std::max<std::size_t>(axes[d].gate_extent(), 1);
    std::string part;
    if (!sees(name) && !gates.empty() && sees(each))
      part = gates[gate];
    else if (!sees(name) && fewer)
      part = gates.empty() ? name + " " + std::to_string(begin)
                           : gates[gate] + " " + std::to_string(begin % axes[d].gate_extent());
    else if (begin > 0)
      part = name + " " + std::to_string(begin) + "..";
    if (!part.empty()) text = part + (text.empty() ? "" : ", ") + text;
  }
  return text.empty() ? "" : "[" + text + "]";
}

/// The last name for which `is_meant` holds, or null.
template <class IsMeant>
const std::string* last_name(const Tape& tape, IsMeant is_meant) {
  const auto found = std::find_if(tape.names().rbegin(), tape.names().rend(), is_meant);
  return found == tape.names().rend() ? nullptr : &found->text;
}
const std::string* name_of(const Entry& entry, const Tape& tape) {
  return last_name(tape, [&](const Name& n) { return n.value == entry.value && n.bytes == entry.value_bytes; });
}
const std::string* name_of(const Statement::Operand& operand, const Tape& tape) {
  return last_name(tape, [&](const Name& n) { return n.value == operand.value && n.axes == operand.axes; });
}

template <class T>
std::vector<std::size_t> nans_in(const void* numbers, std::size_t count) {
  const T* x = static_cast<const T*>(numbers);
  std::vector<std::size_t> found;
  for (std::size_t i = kernels::find_nan(count, x); i < count; i += 1 + kernels::find_nan(count - i - 1, x + i + 1))
    found.push_back(i);
  return found;
}

}  // namespace

bool NamedTensor::holds(const void* address) const {
  const std::less<const std::byte*> before;
  const std::byte *begin = byte_at(value), *at = byte_at(address);
  return at == begin || (!before(at, begin) && before(at, begin + bytes));
}

std::string NamedTensor::shape() const {
  std::string text;
  for (const std::size_t e : extents) text += (text.empty() ? "" : " x ") + std::to_string(e);
  if (text.empty()) return axes;
  return axes.empty() ? "(" + text + ")" : axes + " (" + text + ")";
}

std::string NamedTensor::position(std::size_t i) const {
  return extents.empty() ? "" : hindsight::position(named_axes(axes, extents), i);
}

std::vector<std::size_t> NamedTensor::nans(const void* numbers) const {
  return scalar_bytes == sizeof(float) ? nans_in<float>(numbers, bytes / sizeof(float))
                                       : nans_in<double>(numbers, bytes / sizeof(double));
}

std::string RecordedStatement::text() const {
  return expression.empty() ? result.name : result.name + " = " + expression;
}

std::string RecordedStatement::where() const {
  const std::string_view file = entry->where.file;
  if (file.empty()) return "";
  return std::string(file.substr(file.find_last_of('/') + 1)) + ":" + std::to_string(entry->where.line);
}

Recording::Recording(const Tape& tape, std::vector<NamedTensor> parameters)
    : pass_(tape.pass()), outside_(std::move(parameters)) {
  std::vector<const Entry*> entries;
  for (const Entry* e = tape.last(); e; e = e->previous) entries.push_back(e);
  std::reverse(entries.begin(), entries.end());
  std::size_t unnamed = 0;
  for (const Entry* entry : entries) {
    const Statement s = entry->statement();
    std::vector<RecordedOperand> operands;
    for (const Statement::Operand& o : s.operands) operands.push_back(operand(o, tape));
    const std::string* name = name_of(*entry, tape);
    const bool copy = s.expression == "copy(%0)";  // is called what it is a copy of
    NamedTensor result{name ? *name : copy ? operands[0].text : "v" + std::to_string(++unnamed), s.axes, s.extents, entry->value,
                       entry->gradient, entry->value_bytes, s.scalar_bytes};
    const std::pair<const void*, std::size_t> place{entry->value, statements_.size()};
    by_address_.insert(std::upper_bound(by_address_.begin(), by_address_.end(), place, std::less<>{}), place);
    std::vector<std::string> texts;
    for (const RecordedOperand& o : operands) texts.push_back(o.text);
    std::string expression = filled_in(s.expression, texts);
    statements_.push_back({std::move(result), std::move(expression), std::move(operands), entry});
  }
}

RecordedOperand Recording::operand(const Statement::Operand& operand, const Tape& tape) {
  const void* const address = operand.value;
  const std::pair<const void*, std::size_t> place{address, not_recorded};
  const auto after = std::upper_bound(by_address_.begin(), by_address_.end(), place, std::less<>{});
  const std::string* name = name_of(operand, tape);
  std::size_t statement = not_recorded, outside = not_recorded;
  if (after != by_address_.begin() && statements_[std::prev(after)->second].result.holds(address)) {
    statement = std::prev(after)->second;
  } else {
    const auto found =
        std::find_if(outside_.begin(), outside_.end(), [&](const NamedTensor& t) { return t.holds(address); });
    outside = static_cast<std::size_t>(found - outside_.begin());
    if (found == outside_.end())
      outside_.push_back({name ? *name : "p" + std::to_string(++unnamed_outside_), "", {}, address});
  }
  const NamedTensor& tensor = statement == not_recorded ? outside_[outside] : statements_[statement].result;
  const bool whole = statement != not_recorded && address == tensor.value && operand.axes == tensor.axes;
  if (name && !whole) return {*name, statement, outside};  // a view with a name of its own
  return {tensor.name + view_of(tensor, operand), statement, outside};
}

}  // namespace hindsight
