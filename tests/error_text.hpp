// What an Error says, for tests of messages.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "autodiff/error.hpp"

namespace hindsight {

/// The message of the E that f throws, or "" if it throws none.
template <class E = Error, class F>
std::string error_text(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "";
}

/// Whether a message is one line and holds each of the words.
inline bool says(std::string_view message, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    if (message.find(word) == message.npos) return false;
  return message.find('\n') == message.npos;
}

}  // namespace hindsight
