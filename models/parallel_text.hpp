// Sentences and their translations, from files.
#pragma once

#include <string>
#include <vector>

namespace hindsight {

/// A sentence and its translation, a spelling and its pronunciation.
struct Pair {
  std::string source, target;

  bool operator==(const Pair&) const = default;
};

/// The pairs of a file with one on each line, the source, a tab and the target. There is no quoting: a
/// quotation mark is a character like any other. Line ends are those of `read_text`.
///
/// Throws Error with the file and the line's number (from 1) for a line that has no tab or several, or
/// nothing before the tab or behind it (blanks are something), an empty line too; and as `read_text` does.
std::vector<Pair> read_pairs(const std::string& path);

/// The pairs of two files, line by line. A tab is a character like any other.
///
/// Throws Error with both numbers if the files have not as many lines, with the file and the line's number
/// for an empty line, and as `read_text` does.
std::vector<Pair> read_pairs(const std::string& source_path, const std::string& target_path);

}  // namespace hindsight
