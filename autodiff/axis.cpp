#include "autodiff/axis.hpp"

#include <cctype>

namespace hindsight::detail {

// "hindsight::Gates<(anonymous namespace)::Hidden, x::Forget>" becomes "Gates<Hidden, Forget>".
std::string without_namespaces(std::string_view type_name) {
  constexpr std::string_view separator = "::";
  std::string name;
  std::size_t word = 0;  // where in `name` the current word begins
  for (std::size_t i = 0; i < type_name.size(); ++i) {
    if (type_name.substr(i, separator.size()) == separator) {
      name.resize(word);
      ++i;
      continue;
    }
    const char c = type_name[i];
    if (c == ' ' && type_name.substr(i + 1, 1) == ">") continue;  // GCC: "Next<Next<Hidden> >"
    name += c;
    const bool in_anonymous = name.size() > word && (name[word] == '(' || name[word] == '{');
    if (c == '<' || c == ',' || (c == ' ' && !in_anonymous)) word = name.size();
  }
  return name;
}

}  // namespace hindsight::detail
