// What a program says of its statements: names, and the line that recorded them.
#pragma once

#include <cstddef>
#include <string>

namespace hindsight {

/// A name that the program gave to a tensor or to a view of one. Both may begin at one address: the
/// length tells which of them a statement made, the axes which of them an operand is.
struct Name {
  const void* value;
  std::size_t bytes;
  std::string axes;  // "Batch x Hidden"
  std::string text;
};

/// The line of a program that recorded a statement.
struct Where {
  const char* file = "";
  int line = 0;

  /// As a default argument: the line of the call that leaves it out.
  static Where caller(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
};

}  // namespace hindsight
