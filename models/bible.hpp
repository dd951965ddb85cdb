// The default training text: the King James Bible of Debian's package bible-kjv.
#pragma once

#include <string>

namespace hindsight {

/// The 31102 verses in order, one a line, without their references: "In the beginning God ...".
/// They are plain ASCII, 4.1 million characters.
///
/// The text lies compressed in the package; its program prints it (`bible -f gen1:1-rev22:21`).
/// Throws Error where the program is not installed, and where it prints anything else.
std::string read_bible();

}  // namespace hindsight
