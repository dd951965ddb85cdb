// Mistakes that show in the gradients alone: a constant factor, transposed, exchanged, one step off.
#include <algorithm>
#include <cstdio>

#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {
namespace {

Cause cause(const Evidence& e, Mistake mistake, std::string text) { return {mistake, std::move(text), e.name}; }

bool any_nan(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); });
}

/// Axes whose extent may have been forgotten or divided by, each once.
std::vector<NamedAxis> axes_around(const Evidence& e) {
  std::vector<NamedAxis> all;
  const auto add = [&all](const std::vector<NamedAxis>& axes) {
    for (const NamedAxis& axis : axes)
      if (axis.extent > 1 && std::find(all.begin(), all.end(), axis) == all.end()) all.push_back(axis);
  };
  add(e.map.result.axes);
  for (const MapOperand& operand : e.map.operands) add(operand.field.axes);
  return all;
}

std::string say_factor(const Evidence& e, double factor, const std::string& otherwise) {
  for (const NamedAxis& axis : axes_around(e)) {
    const double extent = static_cast<double>(axis.extent);
    const std::string which = axis.name + ", which is " + std::to_string(axis.extent) + " long";
    const auto is = [factor](double value) { return std::abs(factor - value) <= 1e-6 * std::abs(value); };
    if (axis.extent > 2 && is(extent)) return "too large by the extent of " + which + " (a sum for a mean?)";
    if (axis.extent > 2 && is(1 / extent)) return "divided by the extent of " + which + " (a mean for a sum?)";
    if (axis.extent > 2 && is(std::sqrt(extent))) return "too large by the square root of the extent of " + which;
    if (axis.extent > 2 && is(1 / std::sqrt(extent))) return "divided by the square root of the extent of " + which;
  }
  return otherwise;
}

}  // namespace

Found makes_nan(const Evidence& e) {
  if (any_nan(e.numeric)) return cause(e, Mistake::nan, "f itself is NaN, or becomes NaN near these values");
  if (any_nan(e.analytic))
    return cause(e, Mistake::nan, "the backward pass makes NaN (first_nan_gradient names the statement)");
  if (std::any_of(e.analytic.begin(), e.analytic.end(), [](double v) { return std::isinf(v); }))
    return cause(e, Mistake::nan, "the backward pass makes infinity");
  return {};
}

Found overwritten(const Evidence& e) {
  if (!e.by().overwrites) return {};
  return cause(
      e, Mistake::overwritten,
      "overwritten instead of added to, so that the gradient of any other use is lost (all time steps but one, say)");
}

Found constant_factor(const Evidence& e) {
  const Fit fits(e);
  double product = 0, square = 0;
  std::size_t told = 0;  // elements that say something about the factor
  for (std::size_t j = 0; j < e.size(); ++j) {
    product += e.analytic[j] * e.numeric[j];
    square += e.numeric[j] * e.numeric[j];
    told += std::abs(e.numeric[j]) > 1e-3 * fits.largest();
  }
  if (square == 0) return {};
  const double factor = product / square;
  std::vector<double> expected = e.numeric;
  for (double& g : expected) g *= factor;
  const auto is = [factor](double value) { return std::abs(factor - value) <= 1e-6; };
  if (!fits(expected)) return {};
  if (is(0))
    return cause(e, Mistake::cut_off, "zero: nothing arrives here (detached, cut off, or its backward is missing)");
  if (is(-1)) return cause(e, Mistake::sign, "the sign is flipped");
  if (is(2)) return cause(e, Mistake::factor, "twice too large (a contribution is added twice?)");
  if (is(0.5))
    return cause(e, Mistake::factor, "half of what it should be (a contribution is missing, or a mean for a sum?)");
  if (told < 2) return {};
  char text[80];
  std::snprintf(text, sizeof text, "off by a constant factor of %.7g", factor);
  return cause(e, Mistake::factor, say_factor(e, factor, text));
}

// The gradient lies in memory as if rows were columns: of a matrix, or of the square matrix of each gate.
Found transposed(const Evidence& e) {
  if (e.axes.size() != 2) return {};
  const std::size_t rows = e.axes[0].extent, columns = e.axes[1].extent, each = e.axes[1].gate_extent();
  if (rows < 2 || each < 2) return {};
  const Fit fits(e);
  std::vector<double> expected(e.size());
  if (each == columns) {
    for (std::size_t i = 0; i < e.size(); ++i) expected[i] = e.numeric[i % rows * columns + i / rows];
    if (fits(expected)) return cause(e, Mistake::transposed, "transposed");
  } else if (each == rows) {
    for (std::size_t i = 0; i < e.size(); ++i) {
      const std::size_t row = i / columns, gate = i % columns / each, column = i % each;
      expected[i] = e.numeric[column * columns + gate * each + row];
    }
    if (fits(expected)) return cause(e, Mistake::transposed, "transposed, gate by gate");
  }
  return {};
}

Found exchanged_gates(const Evidence& e) {
  if (e.axes.empty() || e.axes.back().gates.empty()) return {};
  const NamedAxis& last = e.axes.back();
  const std::size_t each = last.gate_extent();
  const Fit fits(e);
  const auto with = [&](std::size_t a, std::size_t from_a, std::size_t b, std::size_t from_b) {
    std::vector<double> expected = e.numeric;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::size_t gate = i % last.extent / each, from = gate == a ? from_a : gate == b ? from_b : gate;
      expected[i] = e.numeric[i - gate * each + from * each];
    }
    return expected;
  };
  for (std::size_t a = 0; a < last.gates.size(); ++a)
    for (std::size_t b = 0; b < last.gates.size(); ++b) {
      if (a == b) continue;
      if (a < b && fits(with(a, b, b, a)))
        return cause(e, Mistake::exchanged, "the gates " + last.gates[a] + " and " + last.gates[b] + " are exchanged");
      if (fits(with(a, b, b, b)))
        return cause(e, Mistake::exchanged, "the gate " + last.gates[a] + " has the gradient of " + last.gates[b]);
    }
  return {};
}

Found exchanged_elements(const Evidence& e) {
  std::vector<std::size_t> wrong;
  const Fit fits(e);
  for (std::size_t j = 0; j < e.size(); ++j)
    if (std::abs(e.analytic[j] - e.numeric[j]) > 1e-6 * fits.largest()) wrong.push_back(j);
  if (wrong.size() != 2) return {};
  std::vector<double> expected = e.numeric;
  std::swap(expected[wrong[0]], expected[wrong[1]]);
  if (!fits(expected)) return {};
  return cause(e, Mistake::exchanged,
               position(e.axes, wrong[0]) + " and " + position(e.axes, wrong[1]) + " are exchanged");
}

Found of_another_operand(const Evidence& e) {
  const Fit fits(e);
  for (std::size_t o = 0; o < e.map.operands.size(); ++o) {
    const MapOperand& other = e.map.operands[o];
    if (o == e.operand || other.numeric.size() != e.size()) continue;
    if (fits(other.numeric)) return cause(e, Mistake::exchanged, "has the gradient of " + other.field.name);
  }
  return {};
}

// Every place along an axis has the gradient of its neighbour; the place at the end may hold anything.
Found one_step_off(const Evidence& e) {
  const Fit fits(e);
  std::size_t stride = 1;
  for (std::size_t d = e.axes.size(); d-- > 0; stride *= e.axes[d].extent) {
    const std::size_t extent = e.axes[d].extent;
    if (extent < 3) continue;
    for (const bool later : {true, false}) {
      std::vector<double> expected = e.analytic;
      bool told = false;
      for (std::size_t j = 0; j < e.size(); ++j) {
        const std::size_t i = j / stride % extent;
        if (later ? i + 1 < extent : i > 0) {
          expected[j] = e.numeric[later ? j + stride : j - stride];
          told = told || expected[j] != 0;
        }
      }
      if (told && fits(expected))
        return cause(e, Mistake::step_off,
                     "one step off: each place along " + e.axes[d].name + " has the gradient of the " +
                         (later ? "next" : "one before"));
    }
  }
  return {};
}

// Right at some elements; and at the others 0, or not 0 where it should be, or off by one factor: a mask, a side of a
// kink, a weight of some.
Found right_at_some(const Evidence& e) {
  const Fit fits(e);
  std::size_t right = 0, zero = 0, not_zero = 0, scaled = 0;
  double factor = 0;
  for (std::size_t j = 0; j < e.size(); ++j) {
    const double a = e.analytic[j], n = e.numeric[j], slack = 1e-7 * fits.largest();
    if (std::abs(a - n) <= slack) {
      right += n != 0;
    } else if (a == 0) {
      ++zero;
    } else if (n == 0) {
      ++not_zero;
    } else {
      if (scaled++ == 0) factor = a / n;
      if (std::abs(a - factor * n) > 1e-6 * fits.largest()) return {};
    }
  }
  if (right < 2) return {};
  if (zero >= 2 && not_zero + scaled == 0)
    return Cause{Mistake::cut_off, "zero at some elements and right at the others (a mask, or a side of a kink)",
                 e.name};
  if (not_zero >= 2 && zero + scaled == 0)
    return Cause{Mistake::derivative,
                 "a factor that is 0 or 1 is missing, a mask: not zero at some elements, right at the others", e.name};
  if (scaled >= 2 && zero + not_zero == 0 && std::abs(factor - 1) > 1e-4) {
    char text[100];
    std::snprintf(text, sizeof text, "off by a constant factor of %.7g at some elements, and right at the others",
                  factor);
    return Cause{Mistake::factor, text, e.name};
  }
  return {};
}

// All of one size, with the right signs.
Found only_the_sign(const Evidence& e) {
  if (e.size() < 3) return {};
  const double size = std::abs(e.analytic[0]);
  for (std::size_t j = 0; j < e.size(); ++j) {
    if (!(std::abs(std::abs(e.analytic[j]) - size) <= 1e-9 * size)) return {};
    if ((e.analytic[j] > 0) != (e.numeric[j] > 0)) return {};
  }
  return Cause{Mistake::derivative, "only the sign of what it should be: the factor of the value itself is missing",
               e.name};
}

// Two operands have each other's gradients.
Found exchanged_operands(const Evidence& e) {
  for (std::size_t o = 0; o < e.map.operands.size(); ++o) {
    const MapOperand &own = e.by(), &other = e.map.operands[o];
    if (o == e.operand || other.numeric.size() != own.numeric.size() || e.size() != own.numeric.size()) continue;
    double largest = 0, off = 0, differ = 0;
    for (std::size_t j = 0; j < own.numeric.size(); ++j) {
      largest = std::max({largest, std::abs(own.numeric[j]), std::abs(other.numeric[j])});
      differ = std::max(differ, std::abs(own.numeric[j] - other.numeric[j]));
      off = std::max({off, std::abs(own.analytic[j] - other.numeric[j]), std::abs(other.analytic[j] - own.numeric[j])});
    }
    if (largest > 0 && off <= 1e-6 * largest && differ > 1e-3 * largest)
      return Cause{Mistake::exchanged, "exchanged with the gradient of " + other.field.name, e.name};
  }
  return {};
}

}  // namespace hindsight::causes
