#include "models/strict_json.hpp"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "autodiff/error.hpp"

namespace hindsight {

using nlohmann::json;

json parse_strict_json(std::string_view text, std::size_t max_depth, const std::string& where) {
  // The parser would take a NUL for the end of its input and not look at what follows.
  if (text.find('\0') != std::string_view::npos) throw Error(where + ": a NUL byte in the JSON");

  std::vector<std::set<std::string>> open;  // the keys so far of each array or object around us
  const auto check = [&](int, json::parse_event_t event, json& parsed) {
    switch (event) {
      case json::parse_event_t::object_start:
      case json::parse_event_t::array_start:
        if (open.size() == max_depth) {
          throw Error(where + ": JSON nested more than " + std::to_string(max_depth) + " deep");
        }
        open.emplace_back();
        break;
      case json::parse_event_t::object_end:
      case json::parse_event_t::array_end:
        open.pop_back();
        break;
      case json::parse_event_t::key:
        if (!open.back().insert(parsed.get<std::string>()).second) {
          throw Error(where + ": the key " + in_quotes(parsed.get<std::string>()) +
                      " is there twice");
        }
        break;
      case json::parse_event_t::value:
        break;
    }
    return true;
  };

  try {
    return json::parse(text.begin(), text.end(), check);
  } catch (const json::parse_error& error) {
    throw Error(where + ": not JSON at byte " + std::to_string(error.byte));
  } catch (const json::exception&) {
    throw Error(where + ": a number in the JSON is out of range");
  }
}

std::string in_quotes(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace hindsight
