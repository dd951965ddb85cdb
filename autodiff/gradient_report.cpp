#include "autodiff/gradient_report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "autodiff/slope.hpp"

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
    rows.push_back({t->path, position(t->axes, e->index), number(slope, e->analytic), number(slope, e->numeric),
                    number("%.2e", e->error)});
  }
  std::string text = table(rows);
  if (wrong.size() > rows_shown) text += "  .. and " + std::to_string(wrong.size() - rows_shown) + " more\n";
  return text;
}

/// A line for each cause, with all places that show it.
std::string lines_of(const std::vector<Cause>& causes) {
  constexpr std::size_t shown = 6;
  std::vector<std::pair<std::string, std::vector<std::string>>> places;
  for (const Cause& cause : causes) {
    const auto known = std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.first == cause.text; });
    (known == places.end() ? places.emplace_back(cause.text, std::vector<std::string>{}) : *known)
        .second.push_back(cause.place);
  }
  std::string lines;
  for (const auto& [cause, at] : places) {
    lines += "likely cause: " + cause + ": ";
    for (std::size_t i = 0; i < std::min(at.size(), shown); ++i) lines += (i ? ", " : "") + at[i];
    lines += at.size() > shown ? " and " + std::to_string(at.size() - shown) + " more\n" : "\n";
  }
  return lines;
}

}  // namespace

std::size_t CheckedTensor::gate(std::size_t index) const {
  if (axes.empty() || axes.back().gates.empty()) return 0;
  return index % axes.back().extent / axes.back().gate_extent();
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

void CheckedTensor::scale(std::vector<double> largest) {
  for (const CheckedElement& e : elements)
    largest[block(e.index)] = std::max({largest[block(e.index)], std::abs(e.analytic), std::abs(e.numeric)});
  for (CheckedElement& e : elements) {
    e.scale = largest[block(e.index)];
    e.error = e.off == 0 ? 0 : e.off / e.scale;  // NaN stays NaN
  }
}

CheckedElement compared_with(std::size_t index, double analytic, const SlopeEstimate& slope) {
  const double off = slope.is_kink() ? slope.outside_of_kink(analytic) : std::abs(analytic - slope.value());
  return {index, analytic, slope.value(), slope.rounding(), slope.is_kink(), off};
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

bool GradientReport::any_wrong(const CheckedTensor& tensor) const {
  return std::any_of(tensor.elements.begin(), tensor.elements.end(), [this](const CheckedElement& e) { return wrong(e); });
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
  } else if (ok()) {
    text += "gradient check: " + of(checked(), "gradient") + " right, the largest relative error is " +
            number("%.1e", worst()) + "\n";
  }
  text += lines_of(causes);
  for (const std::string& statement : unexplained) text += "wrong: the backward of " + statement + "\n";
  if (unresolved() > 0)
    text += "not resolved: " + of(unresolved(), "gradient") + " hidden by the rounding of the outputs\n";
  const std::vector<Place> kinked = worst_first(*this, [](const CheckedElement& e) { return e.kink; });
  for (std::size_t i = 0; i < std::min(kinked.size(), kinks_shown); ++i)
    text += "not differentiable here: " + kinked[i].tensor->path + " " +
            position(kinked[i].tensor->axes, kinked[i].element->index) + "\n";
  if (kinked.size() > kinks_shown) text += "  .. and " + std::to_string(kinked.size() - kinks_shown) + " more\n";
  return text;
}

}  // namespace hindsight
