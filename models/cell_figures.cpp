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

/// |d (u h_{t+k}) / d s_t| for each lag k: u a random direction, s_t all of the state after ten steps, inputs normal,
/// the root of the mean square over eight sequences.
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
    for (const auto& part : cell.run(input).by_initial)
      for (double g : part) square += g * g;
    norms.push_back(std::sqrt(square));
  }
  return norms;
}

/// A bar of up to 20 signs: four powers of ten above 1e-4 fill it to 1; what is larger ends with >.
std::string bar(double norm) {
  const double places = std::isfinite(norm) && norm > 0 ? 5 * (std::log10(norm) + 4) : 0;
  const std::size_t length = static_cast<std::size_t>(std::clamp(places, 0.0, 20.0));
  return std::string(length, '#') + (places > 20.5 ? ">" : "") + std::string(places > 20.5 ? 20 - length : 21 - length, ' ');
}

CellItem lag_item(MeasuredCell& cell, MeasuredCell& lstm) {
  const std::vector<double> own = gradient_by_lag(*cell.cell), others = gradient_by_lag(*lstm.cell);
  std::string words = text("norm of d h_{t+k} / d s_t at first values; a bar from 1e-4 to 1\n%4s  %-31s %s", "k",
                           cell.name.c_str(), lstm.name.c_str());
  for (std::size_t i = 0; i < own.size(); ++i)
    words += text("\n%4zu  %8.1e %s  %8.1e %s", lags[i], own[i], bar(own[i]).c_str(), others[i], bar(others[i]).c_str());
  return {"gradient by lag", true, words};
}

std::string learned(double error, const AddingOptions& options) {
  if (error < 1.0 / 60) return text("learns: %.4f", error);
  return text("came as far as %.4f in %zu updates", error, options.updates);
}

CellItem adding_item(MeasuredCell& cell, MeasuredCell& lstm, const AddingOptions& options) {
  return {"adding problem", true,
          learned(cell.learner->learn(), options) + text("; always 1: %.4f; LSTM: ", 1.0 / 6) +
              learned(lstm.learner->learn(), options) + text("  (T = %zu)", options.steps)};
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
CellItem speed_item(MeasuredCell& cell, MeasuredCell& lstm, const CellOptions& options) {
  std::vector<double> own, others;
  for (std::size_t i = 0; i < std::max<std::size_t>(options.timed, 1); ++i) {
    own.push_back(milliseconds(*cell.learner));
    others.push_back(milliseconds(*lstm.learner));
  }
  return {"training step", true, quartiles(own) + "; LSTM: " + quartiles(others) +
                                     text("; median and quartiles, T = %zu, batch %zu", options.adding.steps, options.adding.batch)};
}

}  // namespace

MeasuredCell measured_lstm(const CellOptions& options) {
  return measured_cell<Lstm<measured::In, measured::Hidden<measured::lstm_hidden>>>("LSTM", options);
}

std::vector<CellItem> measure(MeasuredCell& cell, MeasuredCell& lstm, const CellOptions& options) {
  return {{"size", true, text("for what follows: %zu parameters, a state of %zu; LSTM: %zu, a state of %zu", cell.parameters,
                              cell.cell->hidden(), lstm.parameters, lstm.cell->hidden())},
          lag_item(cell, lstm), adding_item(cell, lstm, options.adding), speed_item(cell, lstm, options)};
}

}  // namespace hindsight
