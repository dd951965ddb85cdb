#include "autodiff/gradient_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "autodiff/diagnosis.hpp"

namespace hindsight {
namespace {

constexpr std::size_t rows_shown = 8;
constexpr std::size_t kinks_shown = 4;

std::string number(const char* format, double value) {
  std::array<char, 40> text;
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string of(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// NaN is worse than any number.
bool worse(const CheckedElement& a, const CheckedElement& b) {
  return std::isnan(b.error) ? false : std::isnan(a.error) || a.error > b.error;
}

template <class Count>
std::size_t count_if(const GradientReport& report, Count counts) {
  std::size_t n = 0;
  for (const CheckedTensor& t : report.tensors)
    n += static_cast<std::size_t>(std::count_if(t.elements.begin(), t.elements.end(), counts));
  return n;
}

struct Place {
  const CheckedTensor* tensor;
  const CheckedElement* element;
};

/// The elements for which `take` holds, the worst first.
template <class Take>
std::vector<Place> worst_first(const GradientReport& report, Take take) {
  std::vector<Place> places;
  for (const CheckedTensor& t : report.tensors)
    for (const CheckedElement& e : t.elements)
      if (take(e)) places.push_back({&t, &e});
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return worse(*a.element, *b.element); });
  return places;
}

using Row = std::array<std::string, 5>;

/// Columns as wide as they need to be: words to the left, numbers to the right.
std::string table(const std::vector<Row>& rows) {
  std::array<std::size_t, 5> width{};
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(width[c] - row[c].size(), ' ');
      text += "  " + (c < 2 ? row[c] + space : space + row[c]);
    }
    text += "\n";
  }
  return text;
}

std::string table_of_the_wrong(const GradientReport& report) {
  const std::vector<Place> wrong = worst_first(report, [&](const CheckedElement& e) { return report.wrong(e); });
  const char* slope = report.tolerance < 1e-9 ? "%.16g" : "%.9g";  // digits enough to see the difference
  std::vector<Row> rows{{"parameter", "element", "analytic", "numeric", "relative error"}};
  for (std::size_t i = 0; i < std::min(wrong.size(), rows_shown); ++i) {
    const auto [t, e] = wrong[i];
    rows.push_back({t->path, t->position(e->index), number(slope, e->analytic), number(slope, e->numeric),
                    number("%.2e", e->error)});
  }
  std::string text = table(rows);
  if (wrong.size() > rows_shown) text += "  .. and " + std::to_string(wrong.size() - rows_shown) + " more\n";
  return text;
}

}  // namespace

std::size_t CheckedTensor::size() const {
  std::size_t n = 1;
  for (const CheckedAxis& axis : axes) n *= axis.extent;
  return n;
}

std::string CheckedTensor::position(std::size_t index) const {
  std::string text;
  for (std::size_t d = axes.size(); d-- > 0; index /= axes[d].extent)
    text = axes[d].position(axes[d].extent, index % axes[d].extent) + (text.empty() ? "" : " " + text);
  return text.empty() ? "scalar" : text;
}

std::size_t CheckedTensor::gate(std::size_t index) const {
  if (axes.empty() || axes.back().gates.empty()) return 0;
  const CheckedAxis& last = axes.back();
  return index % last.extent / (last.extent / last.gates.size());
}

std::size_t CheckedTensor::block(std::size_t index) const {
  if (axes.empty()) return 0;
  return axes.back().gates.empty() ? index / axes.back().extent : gate(index);
}

std::size_t CheckedTensor::blocks() const {
  if (axes.empty()) return 1;
  if (!axes.back().gates.empty()) return axes.back().gates.size();
  return axes.back().extent == 0 ? 0 : size() / axes.back().extent;
}

std::size_t GradientReport::unresolved() const {
  return count_if(*this, [this](const CheckedElement& e) { return unresolved(e); });
}
std::size_t GradientReport::checked() const {
  return count_if(*this, [this](const CheckedElement& e) { return !unresolved(e); });
}
std::size_t GradientReport::failed() const {
  return count_if(*this, [this](const CheckedElement& e) { return wrong(e); });
}
std::size_t GradientReport::kinks() const {
  return count_if(*this, [](const CheckedElement& e) { return e.kink; });
}

bool GradientReport::ok() const { return problems.empty() && checked() > 0 && failed() == 0; }

double GradientReport::worst() const {
  const auto compared = [this](const CheckedElement& e) { return !unresolved(e); };
  const std::vector<Place> places = worst_first(*this, compared);
  return places.empty() ? 0 : places.front().element->error;
}

std::string GradientReport::text() const {
  std::string text;
  for (const std::string& problem : problems) text += "gradient check: " + problem + "\n";
  if (problems.empty() && checked() == 0) text += "gradient check: no element was checked\n";
  if (failed() > 0) {
    text += "gradient check: " + std::to_string(failed()) + " of " + of(checked(), "gradient") +
            " wrong (tolerance " + number("%g", tolerance) + ")\n" + table_of_the_wrong(*this);
    for (const std::string& cause : diagnose(*this)) text += "likely cause: " + cause + "\n";
  } else if (ok()) {
    text += "gradient check: " + of(checked(), "gradient") + " right, the largest relative error is " +
            number("%.1e", worst()) + "\n";
  }
  if (unresolved() > 0)
    text += "not resolved: " + of(unresolved(), "gradient") + " hidden by the rounding of the outputs\n";
  const std::vector<Place> kinked = worst_first(*this, [](const CheckedElement& e) { return e.kink; });
  for (std::size_t i = 0; i < std::min(kinked.size(), kinks_shown); ++i)
    text += "not differentiable here: " + kinked[i].tensor->path + " " +
            kinked[i].tensor->position(kinked[i].element->index) + "\n";
  if (kinked.size() > kinks_shown) text += "  .. and " + std::to_string(kinked.size() - kinks_shown) + " more\n";
  return text;
}

}  // namespace hindsight
