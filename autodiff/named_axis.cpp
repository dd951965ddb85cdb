#include "autodiff/named_axis.hpp"

namespace hindsight {

std::vector<std::string> split_outside_brackets(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += (text[i] == '<') - (text[i] == '>');
    if (depth == 0 && text.substr(i, separator.size()) == separator) {
      parts.emplace_back();
      i += separator.size() - 1;
    } else {
      parts.back() += text[i];
    }
  }
  return parts;
}

std::string NamedAxis::position(std::size_t i) const {
  const auto place = [](const std::string& what, std::size_t at) { return what + "[" + std::to_string(at) + "]"; };
  return gates.empty() ? place(name, i) : place(gates[i / gate_extent()], i % gate_extent());
}

std::vector<NamedAxis> named_axes(std::string_view text, const std::vector<std::size_t>& extents) {
  const std::string_view gates = "Gates<";
  const std::vector<std::string> names = split_outside_brackets(text, " x ");
  std::vector<NamedAxis> axes;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    NamedAxis axis{d < names.size() ? names[d] : "", extents[d]};
    if (axis.name.starts_with(gates)) {
      const std::string_view inside =
          std::string_view(axis.name).substr(gates.size(), axis.name.size() - gates.size() - 1);
      axis.gates = split_outside_brackets(inside, ", ");
      axis.each = axis.gates.front();
      axis.gates.erase(axis.gates.begin());
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

std::size_t count(const std::vector<NamedAxis>& axes) {
  std::size_t n = 1;
  for (const NamedAxis& axis : axes) n *= axis.extent;
  return n;
}

std::string position(const std::vector<NamedAxis>& axes, std::size_t i) {
  std::string text;
  for (std::size_t d = axes.size(); d-- > 0; i /= axes[d].extent)
    text = axes[d].position(i % axes[d].extent) + (text.empty() ? "" : " " + text);
  return text.empty() ? "scalar" : text;
}

}  // namespace hindsight
