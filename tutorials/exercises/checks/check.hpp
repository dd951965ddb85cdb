// What the checks of the exercises share: comparisons that fail in the words of the exercise.
//
// A check is one function. It returns what was learned, or fails with what was expected and what was
// found. It is plain C++ on doubles, so that an exercise without a tape compiles in a moment.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "autodiff/hand_written.hpp"

namespace exercise {

using Vector = std::vector<double>;

/// The check of the exercise: every file beside this one defines it.
std::string check();

/// What ends a check that is not passed; `what()` is shown to the learner.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] inline void fail(const std::string& message) { throw Failure(message); }

/// printf into a string.
template <class... Args>
std::string text(const char* format, Args... args) {
  char line[1000];
  std::snprintf(line, sizeof line, format, args...);
  return line;
}
inline std::string text(const char* line) { return line; }

/// A number as messages show it.
inline std::string number(double x) { return std::isnan(x) ? "not a number" : text("%.4g", x); }

/// n numbers in [-limit, limit), by a seed (splitmix64, Steele, Lea and Flood 2014).
inline Vector noise(std::size_t n, std::uint64_t seed, double limit = 1) {
  Vector values;
  std::uint64_t state = seed * 0x2545f4914f6cdd1dull;
  while (values.size() < n) {
    std::uint64_t z = state += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z ^= z >> 31;
    values.push_back(limit * (2 * (static_cast<double>(z >> 11) * 0x1p-53) - 1));
  }
  return values;
}

/// What a message calls an element: v[2], and with rows of so many columns W[1][2]; x where it is a number.
struct Named {
  std::string name;
  Vector values;
  std::size_t columns = 0;

  std::string element(std::size_t i) const {
    if (values.size() == 1 && columns == 0) return name;
    if (columns == 0) return text("%s[%zu]", name.c_str(), i);
    return text("%s[%zu][%zu]", name.c_str(), i / columns, i % columns);
  }
};

/// A typical wrong answer for what is called `name`, and what to say to it.
struct Mistake {
  std::string name;
  Vector values;
  std::string words;
};

/// Whether all of a is b up to a share of the largest number in b. A NaN never is.
inline bool close(const Vector& a, const Vector& b, double tolerance) {
  if (a.size() != b.size()) return false;
  double largest = 0;
  for (const double x : b) largest = std::max(largest, std::abs(x));
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!(std::abs(a[i] - b[i]) <= tolerance * largest)) return false;
  return true;
}

/// What is said to a mistake that is known; or nothing.
inline std::string words_for(const Named& right, const Vector& found, const std::vector<Mistake>& mistakes, double tolerance) {
  for (const Mistake& mistake : mistakes)
    if (mistake.name == right.name && close(found, mistake.values, tolerance)) return mistake.words;
  for (const double x : found)
    if (!std::isfinite(x)) return "Is something divided by 0, or too large for exp?";
  return "";
}

/// Fails unless `found` is `right`. `prefix` stands before an element's name ("dL/d"), `by` tells where what is
/// right comes from (" by finite differences"), `cause` what else may be said of what is wrong.
inline void compare(const std::string& where, const Named& right, const Vector& found,
                    const std::vector<Mistake>& mistakes = {}, double tolerance = 1e-9, const std::string& prefix = "",
                    const std::string& by = "", const std::string& cause = "") {
  if (found.size() != right.values.size())
    fail(text("%s: %s%s should have %zu numbers, yours has %zu.", where.c_str(), prefix.c_str(), right.name.c_str(),
              right.values.size(), found.size()));
  if (close(found, right.values, tolerance)) return;
  double largest = 0;
  for (const double x : right.values) largest = std::max(largest, std::abs(x));
  std::size_t wrong = 0, worst = 0;
  double off = -1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::isnan(found[i]) ? INFINITY : std::abs(found[i] - right.values[i]);
    if (error <= tolerance * largest) continue;
    ++wrong;
    if (error > off) off = error, worst = i;
  }
  std::string message = where + ": " + prefix + right.element(worst) + " should be " + number(right.values[worst]) +
                        by + ", yours is " + number(found[worst]);
  if (found.size() > 1) message += text(" (%zu of %zu %s wrong)", wrong, found.size(), wrong == 1 ? "is" : "are");
  message += ".";
  const std::string words = words_for(right, found, mistakes, tolerance);
  if (!words.empty() || !cause.empty()) message += "\n" + (words.empty() ? cause : words);
  fail(message);
}

using Forward = std::function<Vector(const std::vector<Vector>&)>;

/// What the library's checker says of each operand's gradient; nothing where it is right or shows no pattern.
inline std::vector<std::string> likely_causes(const std::string& where, const Forward& forward,
                                              const std::vector<Named>& operands, const Vector& seed,
                                              const std::vector<Vector>& gradients) {
  std::vector<hindsight::Field> fields;
  for (const Named& operand : operands) {
    hindsight::Field field{operand.name, {}, operand.values};
    if (operand.columns > 0) field.axes = {{"rows", operand.values.size() / operand.columns}, {"columns", operand.columns}};
    fields.push_back(std::move(field));
  }
  std::vector<std::string> causes(operands.size());
  for (const hindsight::Cause& cause : hindsight::check_backward(where, fields, forward, seed, gradients).causes)
    for (std::size_t o = 0; o < operands.size(); ++o)
      if (std::string& text = causes[o]; text.empty() && cause.place.rfind(operands[o].name + " ", 0) == 0)
        text = "Likely cause: " + cause.text + ".";
  return causes;
}

/// Checks a backward that was written by hand. `forward` makes y of the operands; L = sum_k seed_k y_k; `gradients`
/// are dL/d each operand, in their order, and are compared with central differences of L.
inline void check_backward(const std::string& where, const Forward& forward, const std::vector<Named>& operands,
                           const Vector& seed, const std::vector<Vector>& gradients,
                           const std::vector<Mistake>& mistakes = {}) {
  std::vector<Vector> values;
  for (const Named& operand : operands) values.push_back(operand.values);
  const auto loss = [&] {
    const Vector y = forward(values);
    double sum = 0;
    for (std::size_t k = 0; k < y.size(); ++k) sum += seed.at(k) * y[k];
    return sum;
  };
  const std::vector<std::string> causes = likely_causes(where, forward, operands, seed, gradients);
  for (std::size_t o = 0; o < operands.size(); ++o) {
    Named numeric{operands[o].name, {}, operands[o].columns};
    for (double& x : values[o]) {
      const double x0 = x, h = 1e-5;
      x = x0 + h;
      const double above = loss();
      x = x0 - h;
      const double below = loss();
      x = x0;
      numeric.values.push_back((above - below) / (2 * h));
    }
    compare(where, numeric, gradients.at(o), mistakes, 1e-6, "dL/d", " by finite differences", causes[o]);
  }
}

/// Checks a number that was to be predicted, without telling it.
inline void check_prediction(const std::string& what, double found, double right, double tolerance,
                             const std::vector<Mistake>& mistakes = {}) {
  if (std::abs(found - right) <= tolerance * std::abs(right)) return;
  std::string message = what + ": you predict " + number(found) + ", and that is too " +
                        (found < right ? "small." : "large.");
  for (const Mistake& mistake : mistakes)
    if (close({found}, mistake.values, tolerance)) message += "\n" + mistake.words;
  fail(message);
}

}  // namespace exercise

int main() {
  try {
    std::printf("%s\n", exercise::check().c_str());
    return 0;
  } catch (const exercise::Failure& failure) {
    std::printf("%s\n", failure.what());
  } catch (const std::exception& error) {
    std::printf("It stopped with: %s\n", error.what());
  }
  return 1;
}
