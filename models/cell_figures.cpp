#include "models/cell_figures.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdarg>
#include <cstdio>

#include "layers/lstm.hpp"

namespace hindsight {
namespace {

[[gnu::format(printf, 1, 2)]] std::string text(const char* format, ...) {
  char line[200];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  return line;
}

constexpr std::size_t lags[] = {1, 2, 5, 10, 20, 50, 100};

std::vector<double> noise(std::size_t count, const char* name) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = Random{3}.child(name).normal(i);
  return out;
}

/// |d (u h_{t+k}) / d s_t| for each lag k: s_t is all of the state after ten steps of normal inputs, u a random
/// direction, both of eight sequences together.
std::vector<double> gradient_by_lag(CheckedCell& cell) {
  const std::size_t batch = 8, first = 10;
  const CellRun begun = cell.run({first, batch, noise(first * batch * cell.in(), "before")});
  std::vector<double> norms;
  for (const std::size_t k : lags) {
    CellInput input{k, batch, noise(k * batch * cell.in(), "x")};
    input.initial = begun.last;
    input.weights.assign(k * batch * cell.hidden(), 0.0);
    const std::vector<double> u = noise(batch * cell.hidden(), "u");
    double length = 0, square = 0;
    for (double x : u) length += x * x;
    std::transform(u.begin(), u.end(), input.weights.end() - static_cast<std::ptrdiff_t>(u.size()),
                   [&](double x) { return x / std::sqrt(length); });
    for (const StatePart& part : cell.run(input).by_initial)
      for (double g : part.values) square += g * g;
    norms.push_back(std::sqrt(square));
  }
  return norms;
}

/// A bar of up to 20 signs, five a power of ten: from 1e-4 to 1, and what is larger ends with >.
std::string bar(double norm) {
  const double length = norm > 0 ? 5 * (std::log10(norm) + 4) : 0;
  if (length < 1) return "";
  return length > 20.5 ? " " + std::string(20, '#') + ">" : " " + std::string(static_cast<std::size_t>(length), '#');
}

CellItem lag_item(MeasuredCell& cell, MeasuredCell& lstm) {
  const std::vector<double> own = gradient_by_lag(*cell.cell), others = gradient_by_lag(*lstm.cell);
  std::string words = text("norm of d h_{t+k} / d s_t at first values; a bar from 1e-4 to 1\n%4s  %-32s%s", "k",
                           cell.name.c_str(), lstm.name.c_str());
  for (std::size_t i = 0; i < own.size(); ++i)
    words += text("\n%4zu  %7.1e%-24s %7.1e%s", lags[i], own[i], bar(own[i]).c_str(), others[i], bar(others[i]).c_str());
  return {"gradient by lag", true, words};
}

/// "learns: 0.0004 0.0005 0.0004", an error a seed, or how far it came. Training that ends in gradients that are not
/// finite throws, and came nowhere.
std::string learned(MeasuredCell& cell, const AddingOptions& options) {
  const double enough = 1.0 / 60;  // a tenth of what saying 1 has
  std::string errors;
  std::size_t learning = 0;
  for (const auto& learner : cell.learners) {
    try {
      const double error = learner->learn(options.updates);
      errors += text(" %.4f", error);
      learning += error < enough;
    } catch (const Error&) {
      errors += " infinity";
    }
  }
  if (learning == cell.learners.size()) return "learns:" + errors;
  if (learning > 0) return text("learns with %zu of %zu seeds:", learning, cell.learners.size()) + errors;
  return "came as far as" + errors;
}

/// A line for the cell, and one for the LSTM.
std::string beside(const MeasuredCell& cell, const std::string& of_cell, const MeasuredCell& lstm, const std::string& of_lstm) {
  const int width = static_cast<int>(std::max(cell.name.size(), lstm.name.size()));
  return text("\n%-*s  ", width, cell.name.c_str()) + of_cell + text("\n%-*s  ", width, lstm.name.c_str()) + of_lstm;
}

CellItem adding_item(MeasuredCell& cell, MeasuredCell& lstm, const CellOptions& options) {
  const std::string own = learned(cell, options.adding), others = learned(lstm, options.adding);
  return {"adding problem", true,
          text("squared error, T = %zu, %zu updates, %zu seeds; always saying 1: %.4f", options.adding.steps,
               options.adding.updates, options.seeds, 1.0 / 6) +
              beside(cell, own, lstm, others)};
}

double milliseconds(AddingLearner& learner) {
  const auto begin = std::chrono::steady_clock::now();
  learner.update();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

/// The quartiles of times.
std::string quartiles(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](double part) { return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))]; };
  return text("%.2f ms (%.2f - %.2f)", at(0.5), at(0.25), at(0.75));
}

/// Taken turn by turn, so that both meet the same machine.
CellItem speed_item(MeasuredCell& cell, MeasuredCell& lstm, const CellOptions& options) try {
  std::vector<double> own, others;
  for (std::size_t i = 0; i < std::max<std::size_t>(options.timed, 1); ++i) {
    own.push_back(milliseconds(*cell.learners[0]));
    others.push_back(milliseconds(*lstm.learners[0]));
  }
  return {"training step", true, text("median and quartiles, T = %zu, batch %zu", options.adding.steps, options.adding.batch) +
                                     beside(cell, quartiles(own), lstm, quartiles(others))};
} catch (const Error& error) {
  return {"training step", true, std::string("not timed: ") + error.what()};
}

}  // namespace

MeasuredCell measured_lstm(const CellOptions& options) {
  return measured_cell<Lstm<measured::In, measured::Hidden<measured::lstm_hidden>>>("LSTM", options);
}

std::vector<CellItem> measure(MeasuredCell& cell, MeasuredCell& lstm, const CellOptions& options) {
  const auto size = [](const MeasuredCell& c) { return text("%zu parameters, Hidden of %zu", c.parameters, c.cell->hidden()); };
  return {{"size", true, text("of what follows, In of %zu", cell.cell->in()) + beside(cell, size(cell), lstm, size(lstm))},
          lag_item(cell, lstm), adding_item(cell, lstm, options), speed_item(cell, lstm, options)};
}

}  // namespace hindsight
