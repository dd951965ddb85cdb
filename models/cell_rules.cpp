#include "models/cell_rules.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

namespace hindsight {
namespace {

constexpr std::size_t steps = 5, batch = 4;
const std::vector<std::size_t> lengths{5, 0, 1, 3};

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", x);
  return text;
}

/// Normal numbers that a float holds exactly, so that float and double begin with the same.
std::vector<double> noise(std::size_t count, const char* name) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(Random{7}.child(name).normal(i));
  return out;
}

/// Sequences, and weights that differ for all their outputs.
CellInput sequences(const CheckedCell& cell) {
  return {steps, batch, noise(steps * batch * cell.in(), "x"), noise(steps * batch * cell.hidden(), "weight")};
}

/// The same from a first state that is not 0.
CellInput from_a_state(CheckedCell& cell) {
  CellInput input = sequences(cell);
  input.initial = cell.run(input).last;
  std::size_t n = 0;
  for (StatePart& part : input.initial)
    for (double& v : part.values) v = static_cast<float>(0.5 * Random{8}.normal(n++));
  return input;
}

/// Rows [from, from + count) of a block of `outer` x rows x `inner`.
std::vector<double> rows(const std::vector<double>& block, std::size_t outer, std::size_t total, std::size_t from,
                         std::size_t count) {
  const std::size_t inner = total * outer == 0 ? 0 : block.size() / outer / total;
  std::vector<double> out;
  for (std::size_t o = 0; o < outer; ++o) {
    const auto begin = block.begin() + static_cast<std::ptrdiff_t>((o * total + from) * inner);
    out.insert(out.end(), begin, begin + static_cast<std::ptrdiff_t>(count * inner));
  }
  return out;
}

/// One sequence's part of a state.
std::vector<StatePart> row(const std::vector<StatePart>& state, std::size_t b) {
  std::vector<StatePart> out;
  for (const StatePart& part : state) out.push_back({rows(part.values, part.outer, batch, b, 1), part.outer, part.inner});
  return out;
}

/// Steps [from, to) of one sequence, or of all.
CellInput some(const CellInput& all, std::size_t from, std::size_t to, std::size_t b = batch) {
  CellInput out{to - from, b == batch ? batch : 1, rows(all.xs, 1, steps, from, to - from),
                rows(all.weights, 1, steps, from, to - from)};
  if (b == batch) {
    out.initial = all.initial;
    return out;
  }
  out.xs = rows(out.xs, to - from, batch, b, 1);
  out.weights = rows(out.weights, to - from, batch, b, 1);
  out.initial = row(all.initial, b);
  return out;
}

/// Says where `found` is further from `expected` than `tolerance` allows, relative to the largest number, or 1 if
/// that is larger.
class Comparison {
 public:
  explicit Comparison(double tolerance) : tolerance_(tolerance) {}

  /// Of a sequence, `each` numbers belong to a step.
  void compare(const std::string& what, const std::vector<double>& found, const std::vector<double>& expected,
               std::size_t each = 0) {
    if (found.size() != expected.size())
      return say(what + ": " + std::to_string(found.size()) + " numbers, expected " + std::to_string(expected.size()));
    double scale = 1;
    for (double e : expected) scale = std::max(scale, std::abs(e));
    std::size_t worst = 0;
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double off = std::abs(found[i] - expected[i]) / scale;
      if (off <= largest) continue;
      worst = i;
      largest = off;
      if (std::isnan(off)) break;
    }
    if (!(largest <= largest_)) largest_ = largest;
    if (largest <= tolerance_) return;
    const std::string step = each == 0 ? "" : ", step " + std::to_string(worst / each);
    say(what + step + ", number " + std::to_string(each == 0 ? worst : worst % each) + ": " + number(found[worst]) +
        ", expected " + number(expected[worst]));
  }
  void compare(const std::string& what, const std::vector<StatePart>& found, const std::vector<StatePart>& expected) {
    if (found.size() != expected.size())
      return say(what + ": " + std::to_string(found.size()) + " variables, expected " + std::to_string(expected.size()));
    for (std::size_t i = 0; i < found.size(); ++i)
      compare(what + ", variable " + std::to_string(i + 1), found[i].values, expected[i].values);
  }

  /// Says where something is not exactly 0.
  void compare_with_zero(const std::string& what, const std::vector<double>& found) {
    for (double x : found)
      if (x != 0) return say(what + ": " + number(x) + ", expected exactly 0");
  }

  /// The item: `right` if nothing differed, else the first thing that did, and what to look at.
  CellItem item(const std::string& name, const std::string& right, const std::string& look_at) const {
    if (wrong_.empty()) return {name, true, right + "; largest difference " + number(largest_)};
    return {name, false, wrong_ + "\n" + look_at};
  }

 private:
  void say(const std::string& wrong) {
    if (wrong_.empty()) wrong_ = wrong;
  }

  double tolerance_, largest_ = 0;
  std::string wrong_;
};

constexpr double rounding = 1e-12;  // sums in another order, in double

CellItem gradients(CheckedCell& cell) {
  const GradientReport plain = cell.check_gradients(sequences(cell));
  CellInput masked = from_a_state(cell);
  masked.lengths = lengths;
  const GradientReport other = cell.check_gradients(masked);
  for (const auto& [report, how] : {std::pair(&plain, "from the cell's own first state"),
                                    std::pair(&other, "from another first state, with a mask")})
    if (!report->ok())
      return {"gradients", false, std::string(how) + ":\n" + report->text() +
                                      "look at: detach, numbers taken off the tape (values(), item()), and operations "
                                      "with a backward of their own"};
  return {"gradients", true,
          std::to_string(steps) + " steps, with a mask and without: " +
              std::to_string(plain.checked() + other.checked()) + " derivatives, largest error " +
              number(std::max(plain.worst(), other.worst()))};
}

/// The gradients by parameters of several runs together.
void add(std::vector<double>& sum, const std::vector<double>& more) {
  sum.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

CellItem batches(CheckedCell& cell) {
  const CellInput all = from_a_state(cell);
  const CellRun together = cell.run(all);
  Comparison c(rounding);
  std::vector<double> by_parameter;
  for (std::size_t b = 0; b < batch; ++b) {
    const std::string of = " of sequence " + std::to_string(b);
    const CellRun alone = cell.run(some(all, 0, steps, b));
    c.compare("outputs" + of, rows(together.outputs, steps, batch, b, 1), alone.outputs, cell.hidden());
    c.compare("last state" + of, row(together.last, b), alone.last);
    c.compare("gradients by inputs" + of, rows(together.by_input, steps, batch, b, 1), alone.by_input, cell.in());
    c.compare("gradients by the first state" + of, row(together.by_initial, b), alone.by_initial);
    add(by_parameter, alone.by_parameter);
  }
  c.compare("gradients by parameters", together.by_parameter, by_parameter);
  return c.item("batch", "gives what its sequences give one by one",
                "look at: sums, means or maxima over the batch, and what the cell keeps between calls");
}

/// What lies at masked steps, of `each` numbers a step and sequence.
std::vector<double> masked_numbers(const std::vector<double>& block) {
  std::vector<double> out;
  const std::size_t each = block.size() / steps / batch;
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t b = 0; b < batch; ++b)
      if (t >= lengths[b])
        for (std::size_t k = 0; k < each; ++k) out.push_back(block[(t * batch + b) * each + k]);
  return out;
}

CellItem masks(CheckedCell& cell) {
  CellInput all = from_a_state(cell);
  all.lengths = lengths;
  const std::size_t in = cell.in();
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t b = 0; b < batch; ++b)
      if (t >= lengths[b])
        std::fill_n(all.xs.begin() + static_cast<std::ptrdiff_t>((t * batch + b) * in), in,
                    std::numeric_limits<double>::quiet_NaN());
  const CellRun together = cell.run(all);
  Comparison c(rounding);
  c.compare_with_zero("outputs at masked steps", masked_numbers(together.outputs));
  c.compare_with_zero("gradients by masked inputs", masked_numbers(together.by_input));
  std::vector<double> by_parameter;
  for (std::size_t b = 0; b < batch; ++b) {
    if (lengths[b] == 0) continue;
    const std::string of = " of sequence " + std::to_string(b) + ", " + std::to_string(lengths[b]) + " steps long";
    const CellRun alone = cell.run(some(all, 0, lengths[b], b));
    c.compare("outputs" + of, rows(rows(together.outputs, steps, batch, b, 1), 1, steps, 0, lengths[b]), alone.outputs,
              cell.hidden());
    c.compare("last state" + of, row(together.last, b), alone.last);
    c.compare("gradients by the first state" + of, row(together.by_initial, b), alone.by_initial);
    add(by_parameter, alone.by_parameter);
  }
  c.compare("gradients by parameters", together.by_parameter, by_parameter);
  return c.item("masks", "NaN behind a sequence's end changes nothing",
                "look at: zip of the state, which must give f each variable, in its place");
}

CellItem no_steps(CheckedCell& cell) {
  CellInput all = from_a_state(cell);
  Comparison c(0);
  all.lengths = lengths;
  const CellRun masked = cell.run(all);
  const std::size_t empty = 1;  // the sequence of length 0
  c.compare("last state of a sequence without steps", row(masked.last, empty), row(all.initial, empty));
  CellInput none = some(all, 0, 0);
  none.weights.clear();
  const CellRun nothing = cell.run(none);
  c.compare("outputs of no steps", nothing.outputs, std::vector<double>());
  c.compare("last state of no steps", nothing.last, all.initial);
  return c.item("no steps", "leave the state as it was", "look at: zip and output of the state");
}

CellItem carried(CheckedCell& cell) {
  CellInput all = sequences(cell);
  const std::size_t cut = 2;
  const CellRun whole = cell.run(all), first = cell.run(some(all, 0, cut));
  CellInput rest = some(all, cut, steps);
  rest.initial = first.last;
  const CellRun second = cell.run(rest);
  Comparison c(rounding);
  c.compare("outputs before the cut", first.outputs, rows(whole.outputs, 1, steps, 0, cut));
  c.compare("outputs after the cut", second.outputs, rows(whole.outputs, 1, steps, cut, steps - cut));
  c.compare("last state", second.last, whole.last);

  // Windows of two steps: the values stay, and from the last step no gradient reaches those before it.
  all = from_a_state(cell);
  std::fill(all.weights.begin(), all.weights.end() - static_cast<std::ptrdiff_t>(batch * cell.hidden()), 0.0);
  const CellRun one = cell.run(all);
  all.window = 2;
  const CellRun windows = cell.run(all);
  c.compare("outputs of truncated backpropagation", windows.outputs, one.outputs);
  c.compare_with_zero("gradients by inputs before the window", rows(windows.by_input, 1, steps, 0, 4));
  c.compare("gradients by inputs in it", rows(windows.by_input, 1, steps, 4, 1), rows(one.by_input, 1, steps, 4, 1));
  for (const StatePart& g : windows.by_initial) c.compare_with_zero("gradients by the first state", g.values);
  return c.item("carried state", "two pieces give what one run gives; a window cuts the gradient",
                "look at: zip of the state, and what the cell keeps between calls");
}

/// A float is rounded at 6e-8 of its size. Over a few steps, each a few sums of a few numbers, some ten to a hundred
/// roundings meet; ten times as much is allowed.
CellItem float_and_double(CheckedCell& in_double, CheckedCell& in_float) {
  in_double.set_parameters(in_float.parameters());
  const CellInput all = from_a_state(in_double);
  const CellRun wide = in_double.run(all), narrow = in_float.run(all);
  Comparison c(1000 * 6e-8);
  c.compare("outputs in float", narrow.outputs, wide.outputs);
  c.compare("last state in float", narrow.last, wide.last);
  c.compare("gradients by inputs in float", narrow.by_input, wide.by_input);
  c.compare("gradients by the first state in float", narrow.by_initial, wide.by_initial);
  c.compare("gradients by parameters in float", narrow.by_parameter, wide.by_parameter);
  return c.item("float and double", "agree to 6e-5, a thousand roundings of a float",
                "look at: differences of large numbers, divisions by small ones, exp and log of what may be large");
}

}  // namespace

std::vector<CellItem> check_rules(CheckedCell& in_double, CheckedCell& in_float) {
  std::vector<CellItem> items;
  const auto look = [&](const char* name, const std::function<CellItem()>& at) {
    try {
      items.push_back(at());
    } catch (const Error& error) {
      items.push_back({name, false, error.what()});
    }
  };
  look("gradients", [&] { return gradients(in_double); });
  look("batch", [&] { return batches(in_double); });
  look("masks", [&] { return masks(in_double); });
  look("no steps", [&] { return no_steps(in_double); });
  look("carried state", [&] { return carried(in_double); });
  look("float and double", [&] { return float_and_double(in_double, in_float); });
  return items;
}

}  // namespace hindsight
