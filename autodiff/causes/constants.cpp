// A term that is a number: the 1 that is taken off a target's probability, smoothing.
#include <algorithm>

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {
namespace {

std::vector<double> difference(const Evidence& e) {
  std::vector<double> off(e.size());
  for (std::size_t j = 0; j < e.size(); ++j) off[j] = e.analytic[j] - e.numeric[j];
  return off;
}

}  // namespace

// Two values in all: a target's, and that of all others.
Found of_two_values(const Evidence& e) {
  if (e.size() < 4) return {};
  const std::vector<double> off = difference(e);
  double low = off[0], high = off[0];
  for (const double x : off) low = std::min(low, x), high = std::max(high, x);
  const double slack = 1e-6 * std::max(std::abs(low), std::abs(high));
  std::size_t lows = 0;
  for (const double x : off) {
    if (std::abs(x - low) > slack && std::abs(x - high) > slack) return {};
    lows += std::abs(x - low) <= slack;
  }
  if (high - low <= slack || lows < 2 || off.size() < lows + 2) return {};
  return Cause{Mistake::missing_term,
               "a term of a sum is missing: what lacks is one number at some places and another at the others", e.name};
}

// A term that is one number at some places and 0 at the others, as the 1 that is taken off a target's probability.
Found missing_constant(const Evidence& e) {
  if (e.size() < 3 || e.axes.empty()) return {};
  const std::vector<double> off = difference(e);
  double size = 0;
  std::size_t here = 0, positive = 0;
  for (const double x : off) size = std::max(size, std::abs(x));
  for (const double x : off) {
    if (std::abs(x) <= 1e-6 * size) continue;
    if (std::abs(std::abs(x) - size) > 1e-6 * size) return {};
    ++here;
    positive += x > 0;
  }
  if (here < 2 || here == off.size()) return {};
  if (positive == 0 || positive == here)
    return Cause{Mistake::missing_term,
                 "a term of a sum is missing: what lacks is the same at some places and 0 at the others", e.name};
  // Else it is in the wrong place: in the row before or behind.
  const std::size_t columns = e.axes.back().extent, rows = off.size() / columns;
  const auto has = [&](std::size_t row, std::size_t column, double sign) {
    return off[row * columns + column] * sign > 0.5 * size;
  };
  for (const bool later : {true, false}) {
    bool moved = rows > 1;
    for (std::size_t row = later ? 0 : 1; row + (later ? 1 : 0) < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        if (const std::size_t other = later ? row + 1 : row - 1;
            has(row, column, -1) && has(row, column, -1) != has(other, column, 1))
          moved = false;
    if (moved)
      return Cause{Mistake::step_off,
                   std::string("one step off: each place along ") + e.axes.front().name + " has a term of the " +
                       (later ? "next" : "one before"),
                   e.name};
  }
  return {};
}

}  // namespace hindsight::causes
