// What was measured, for a terminal and for tools.
#pragma once

#include <string>

#include "bench/compare/measure.hpp"

namespace hindsight::bench {

/// A peer that is there: "oneDNN 2.6.3".
struct Present {
  std::string name, version;
};

/// The table, a line at a time, with a column for each peer that one of the workloads has.
class Table {
 public:
  explicit Table(const Workloads& workloads);
  void head() const;
  void line(const Measured& measured) const;

 private:
  std::vector<std::string> peers_;
};

/// Who was compared on what machine, and every number measured.
std::string json_of(const std::vector<Measured>& all, const std::vector<Present>& present, int threads);

}  // namespace hindsight::bench
