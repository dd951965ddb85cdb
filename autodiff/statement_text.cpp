#include "autodiff/statement_text.hpp"

#include <cctype>
#include <cstdio>
#include <utility>

#include "autodiff/axis.hpp"

namespace hindsight {

void StatementText::operand(const void* value, AxisNames axes) {
  operand(value);
  statement_.operands.back().axes = detail::shape_name(axes);
}

void StatementText::operand(const void* value) {
  parts_.push_back({"%" + std::to_string(statement_.operands.size()), Precedence::call});
  statement_.operands.push_back({value, ""});
}

void StatementText::number(double number) { parts_.push_back({number_text(number), Precedence::call}); }

void StatementText::operation(std::string_view pattern, std::size_t count, Precedence precedence, bool associative) {
  const std::size_t first = parts_.size() - count;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const Part& part = parts_[first + i];
    const bool right_of_equal = i > 0 && !associative && part.precedence == precedence;
    const bool loose = precedence != Precedence::call && (part.precedence < precedence || right_of_equal);
    texts.push_back(loose ? "(" + part.text + ")" : part.text);
  }
  parts_.resize(first);
  parts_.push_back({filled_in(pattern, texts), precedence});
}

void StatementText::contraction(AxisNames axes) { operation("contract<" + detail::shape_name(axes) + ">(%0, %1)", 2); }

void StatementText::call(std::string_view function, std::size_t count) {
  std::string pattern(function);
  for (std::size_t i = 0; i < count; ++i) pattern += (i == 0 ? "(%" : ", %") + std::to_string(i);
  operation(pattern + (count == 0 ? "()" : ")"), count);
}

void StatementText::stack(std::string_view function, std::size_t count) {
  operation(std::string(function) + (count == 1 ? "(%0)" : "(%0, .., %" + std::to_string(count - 1) + ")"), count);
}

void StatementText::result(AxisNames axes, std::span<const std::size_t> extents, std::size_t scalar_bytes) {
  const bool first = statement_.axes.empty();
  statement_.axes += (first ? "" : ", ") + detail::shape_name(axes);
  statement_.extents.clear();
  if (first) statement_.extents.assign(extents.begin(), extents.end());
  statement_.scalar_bytes = scalar_bytes;
}

Statement StatementText::statement() {
  if (!parts_.empty()) statement_.expression = std::move(parts_.back().text);
  return std::move(statement_);
}

std::string filled_in(std::string_view pattern, std::span<const std::string> texts) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      text += pattern[i];
      continue;
    }
    std::size_t n = 0;
    while (i + 1 < pattern.size() && std::isdigit(static_cast<unsigned char>(pattern[i + 1])))
      n = 10 * n + static_cast<std::size_t>(pattern[++i] - '0');
    text += n < texts.size() ? texts[n] : "?";
  }
  return text;
}

std::string number_text(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", number);
  return text;
}

std::string detail::shape_name(AxisNames axes) {
  std::string text;
  for (const std::string_view axis : axes) text += (text.empty() ? "" : " x ") + without_namespaces(axis);
  return text.empty() ? "scalar" : text;
}

}  // namespace hindsight
