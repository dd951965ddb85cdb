// The program of a cell: all that check_cell looks at, printed. One line is its main:
//
//     int main(int argc, char** argv) { return hindsight::tutorial::check_cells<MyCell>(argc, argv); }
#pragma once

#include <cstdio>

#include "layers/gates.hpp"
#include "models/check_cell.hpp"
#include "tutorials/program.hpp"

namespace hindsight::tutorial {

/// Checks cells one after the other (see check_cell on what a cell is here) and prints what was found. The exit status
/// is not 0 if one of them is wrong.
template <template <class...> class... Cells>
int check_cells(int argc, char** argv) {
  CellOptions options;
  bool quick = false;
  Program program("Checks a cell, and measures it beside an LSTM of as many parameters.");
  program.flag("--quick", quick, "all that is right or wrong; ten updates, whatever else is asked for");
  program.option("--steps", options.adding.steps, "T, the length of an adding problem");
  program.option("--updates", options.adding.updates, "training steps on the adding problem");
  program.option("--rate", options.adding.rate, "Adam's learning rate, in the second half a quarter of it");
  program.option("--seeds", options.seeds, "nets that learn it");
  program.option("--seed", options.adding.seed, "the first of these seeds, of weights and problems");
  return program.run(argc, argv, [&] {
    if (options.adding.steps < 2 || options.adding.updates < 1 || options.seeds < 1 || !(options.adding.rate > 0))
      throw Error("--steps must be at least 2, --updates and --seeds at least 1, --rate more than 0");
    if (quick) options = {.adding = {.steps = 10, .updates = 10, .seed = options.adding.seed}, .seeds = 1, .timed = 1};
    std::string wrong;
    const auto show = [&](const CellReport& report) {
      std::printf("%s\n", report.text().c_str());
      if (!report.ok()) wrong += (wrong.empty() ? "" : ", ") + report.cell;
    };
    (show(check_cell<Cells>(options)), ...);
    if (!wrong.empty()) throw Error("not a right cell: " + wrong);
  });
}

}  // namespace hindsight::tutorial
