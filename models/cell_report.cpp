#include "models/cell_report.hpp"

#include <algorithm>

namespace hindsight {

bool CellReport::ok() const {
  return std::all_of(items.begin(), items.end(), [](const CellItem& item) { return item.ok; });
}

std::string CellReport::text() const {
  std::string out = cell + "\n";
  for (const CellItem& item : items) {
    out += "  " + item.name + std::string(item.name.size() < 18 ? 18 - item.name.size() : 1, ' ');
    if (!item.ok) out += "WRONG: ";
    for (char c : item.words) {
      out += c;
      if (c == '\n') out += std::string(20, ' ');
    }
    out += '\n';
  }
  return out;
}

}  // namespace hindsight
