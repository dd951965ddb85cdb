#include "models/text.hpp"

#include <utf8.h>

#include <algorithm>
#include <cstdio>

#include "autodiff/error.hpp"
#include "models/atomic_file.hpp"

namespace hindsight {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// `text` with the line ends CR LF and CR turned into LF.
std::string with_lf_line_ends(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      result += '\n';
    }  // else: the CR of a CR LF, whose LF comes next
  }
  return result;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> pieces;
  while (true) {
    const std::size_t end = text.find_first_of(separators);
    pieces.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return pieces;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void check_utf8(std::string_view bytes, const std::string& where) {
  const std::size_t offset = utf8::find_invalid(bytes);
  if (offset == std::string_view::npos) return;
  const std::string before = with_lf_line_ends(bytes.substr(0, offset));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  char value[5];
  std::snprintf(value, sizeof value, "0x%02X", static_cast<unsigned char>(bytes[offset]));
  throw Error(where + ": line " + std::to_string(line) + ", byte offset " + std::to_string(offset) +
              ": " + value + " begins no valid UTF-8 character");
}

std::string read_text(const std::string& path) {
  const std::string bytes = read_file(path);
  check_utf8(bytes, path);
  std::string_view text = bytes;
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.empty()) throw Error(path + ": the file is empty, text was expected");
  return with_lf_line_ends(text);
}

std::vector<std::string_view> lines(std::string_view text) {
  std::vector<std::string_view> result = split(text, "\n");
  if (result.back().empty()) result.pop_back();  // what follows the last LF is not a line
  return result;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result = split(line, " \t");
  std::erase_if(result, [](std::string_view word) { return word.empty(); });
  return result;
}

void Characters::Iterator::find_length() {
  const char* next = rest_.data();
  if (!rest_.empty()) utf8::unchecked::next(next);
  length_ = static_cast<std::size_t>(next - rest_.data());
}

}  // namespace hindsight
