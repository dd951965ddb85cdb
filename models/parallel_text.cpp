#include "models/parallel_text.hpp"

#include <algorithm>
#include <string_view>

#include "autodiff/error.hpp"
#include "models/text.hpp"

namespace hindsight {
namespace {

/// "path: line 3": where the row with this number, from 0, stands.
std::string place(const std::string& path, std::size_t row) { return path + ": line " + std::to_string(row + 1); }

std::string_view not_empty(std::string_view text, const std::string& path, std::size_t row) {
  if (text.empty()) throw Error(place(path, row) + " is empty, a sentence was expected");
  return text;
}

}  // namespace

std::vector<Pair> read_pairs(const std::string& path) {
  const std::string text = read_text(path);
  std::vector<Pair> pairs;
  for (const std::string_view line : lines(text)) {
    const std::size_t row = pairs.size();
    const auto tabs = std::count(line.begin(), line.end(), '\t');
    if (tabs != 1)
      throw Error(place(path, row) + " has " + std::to_string(tabs) +
                  " tabs, one between source and target was expected");
    const std::size_t tab = line.find('\t');
    const std::string_view source = line.substr(0, tab), target = line.substr(tab + 1);
    if (source.empty()) throw Error(place(path, row) + " has no source, text before the tab was expected");
    if (target.empty()) throw Error(place(path, row) + " has no target, text behind the tab was expected");
    pairs.push_back({std::string(source), std::string(target)});
  }
  return pairs;
}

std::vector<Pair> read_pairs(const std::string& source_path, const std::string& target_path) {
  const std::string source_text = read_text(source_path), target_text = read_text(target_path);
  const auto sources = lines(source_text), targets = lines(target_text);
  if (sources.size() != targets.size())
    throw Error(source_path + " has " + std::to_string(sources.size()) + " lines and " + target_path + " has " +
                std::to_string(targets.size()) + ", as many were expected");
  std::vector<Pair> pairs;
  for (std::size_t row = 0; row < sources.size(); ++row)
    pairs.push_back({std::string(not_empty(sources[row], source_path, row)),
                     std::string(not_empty(targets[row], target_path, row))});
  return pairs;
}

}  // namespace hindsight
