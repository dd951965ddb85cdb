#include <algorithm>

#include "autodiff/inspect.hpp"

namespace hindsight {
namespace {

/// " at Batch[1] Forget[3] (2 of 12 elements)"
std::string places(const NamedTensor& tensor, const std::vector<std::size_t>& nans) {
  const std::string position = tensor.position(nans.front());
  return (position.empty() ? "" : " at " + position) + " (" + std::to_string(nans.size()) + " of " +
         std::to_string(tensor.bytes / tensor.scalar_bytes) + " elements)";
}

/// ", recorded at lstm.cpp:12"
std::string recorded(const RecordedStatement& s) { return s.where().empty() ? "" : ", recorded at " + s.where(); }

/// A NaN in a parameter that is an operand, or what is to be said of operands that cannot be looked at.
struct Outside {
  std::optional<std::string> nan;
  std::string unknown;
};
Outside look_outside(const Recording& recording, const RecordedStatement& s) {
  Outside found;
  for (const RecordedOperand& operand : s.operands) {
    if (operand.statement != not_recorded) continue;
    const NamedTensor& tensor = recording.outside()[operand.outside];
    if (tensor.scalar_bytes == 0)
      found.unknown += (found.unknown.empty() ? "" : ", ") + operand.text;
    else if (const auto nans = tensor.nans(tensor.value); !nans.empty() && !found.nan)
      found.nan = "NaN in the parameter " + tensor.name + places(tensor, nans) + "; it is used by " + s.text() + recorded(s);
  }
  return found;
}

/// The statements that the backward pass ran and that use what `uses` accepts, one after the other.
template <class Uses>
std::string users(const Recording& recording, Uses uses) {
  std::string text;
  for (const RecordedStatement& s : recording.statements())
    if (recording.reached(s) && std::any_of(s.operands.begin(), s.operands.end(), uses))
      text += (text.empty() ? "" : "; or ") + s.text() + recorded(s);
  return text.empty() ? "it is the seed of the pass" : "it comes from the backward of " + text;
}

}  // namespace

std::optional<std::string> first_nan(const Recording& recording) {
  for (const RecordedStatement& s : recording.statements()) {
    const auto nans = s.result.nans(s.result.value);
    if (nans.empty()) continue;
    if (s.expression.empty()) return "NaN in the variable " + s.result.name + places(s.result, nans) + ", as it was given";
    const Outside outside = look_outside(recording, s);
    if (outside.nan) return outside.nan;
    return "NaN in " + s.text() + places(s.result, nans) + recorded(s) +
           (outside.unknown.empty() ? "; its operands hold none"
                                    : "; its recorded operands hold none, " + outside.unknown + " cannot be looked at");
  }
  return {};
}

std::optional<std::string> first_nan_gradient(const Recording& recording) {
  const auto& statements = recording.statements();
  for (std::size_t i = statements.size(); i-- > 0;) {
    if (!recording.reached(statements[i])) continue;
    const NamedTensor& result = statements[i].result;
    if (const auto nans = result.nans(result.gradient); !nans.empty())
      return "NaN in the gradient of " + statements[i].text() + places(result, nans) + recorded(statements[i]) + "; " +
             users(recording, [i](const RecordedOperand& operand) { return operand.statement == i; });
  }
  const auto& outside = recording.outside();
  for (std::size_t i = 0; i < outside.size(); ++i) {
    if (!outside[i].gradient) continue;
    if (const auto nans = outside[i].nans(outside[i].gradient); !nans.empty())
      return "NaN in the gradient of the parameter " + outside[i].name + places(outside[i], nans) + "; " +
             users(recording, [i](const RecordedOperand& operand) { return operand.outside == i; });
  }
  return {};
}

void throw_if_nan(const Recording& recording) {
  if (const auto found = first_nan(recording)) throw Error(*found);
  if (const auto found = first_nan_gradient(recording)) throw Error(*found);
}

}  // namespace hindsight
