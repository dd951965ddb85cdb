// JSON from files nobody vouches for.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace hindsight {

/// The JSON value in `text`. Throws Error, its message beginning with `where`, when `text` is not
/// JSON, is not UTF-8, holds a NUL, has a key twice in one object, or nests arrays and objects more
/// than `max_depth` deep.
nlohmann::json parse_strict_json(std::string_view text, std::size_t max_depth,
                                 const std::string& where);

/// `text` in quotes with its control characters escaped: fit for one line of a message.
std::string in_quotes(std::string_view text);

}  // namespace hindsight
