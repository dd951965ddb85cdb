// What the library throws. Every message is one line: what, where, what was expected.
#pragma once

#include <stdexcept>
#include <string>

namespace hindsight {

/// Bad input at run time: an extent that does not fit, a file that cannot be read, a bad option.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Misuse of the tape: a handle from before a reset, a second backward on one recording.
struct TapeError : Error {
  using Error::Error;
};

}  // namespace hindsight
