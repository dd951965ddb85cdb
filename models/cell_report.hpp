// What a cell's checks found, as text.
#pragma once

#include <string>
#include <vector>

namespace hindsight {

/// One thing that was looked at.
struct CellItem {
  std::string name;   // "masks"
  bool ok;            // false: the cell, or its state, is wrong; what is only measured is always ok
  std::string words;  // one line, or several with a line feed between them
};

/// All that was looked at.
struct CellReport {
  std::string cell;   // its name
  std::vector<CellItem> items;

  bool ok() const;
  std::string text() const;
};

}  // namespace hindsight
