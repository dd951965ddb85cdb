#include "autodiff/diagnosis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

namespace hindsight {
namespace {

// How well a pattern must fit, relative to the largest gradient it is about.
constexpr double fit = 1e-6;

using Elements = std::vector<const CheckedElement*>;

double largest_numeric(const Elements& elements) {
  double largest = 0;
  for (const CheckedElement* e : elements) largest = std::max(largest, std::abs(e->numeric));
  return largest;
}

/// Whether the analytic gradients are what `expected` says of the elements, and those are not all 0.
template <class Expected>
bool all_are(const Elements& elements, Expected expected) {
  const double largest = largest_numeric(elements);
  return largest > 0 && std::all_of(elements.begin(), elements.end(), [&](const CheckedElement* e) {
           return std::abs(e->analytic - expected(*e)) <= fit * largest + e->rounding;
         });
}

/// The cause if all elements are off by one factor.
std::optional<std::string> constant_factor(const Elements& elements) {
  double product = 0, square = 0;
  std::size_t told = 0;  // elements that say something about the factor
  const double largest = largest_numeric(elements);
  for (const CheckedElement* e : elements) {
    product += e->analytic * e->numeric;
    square += e->numeric * e->numeric;
    told += std::abs(e->numeric) > 1e-3 * largest;
  }
  const double factor = product / square;
  if (!all_are(elements, [factor](const CheckedElement& e) { return factor * e.numeric; })) return {};
  const auto is = [factor](double value) { return std::abs(factor - value) <= fit; };
  if (is(0)) return "zero: nothing arrives here (detached, cut off, or its backward is missing)";
  if (is(-1)) return "the sign is flipped";
  if (is(2)) return "twice too large (a contribution is added twice?)";
  if (is(0.5)) return "half of what it should be (a contribution is missing, or a mean for a sum?)";
  if (told < 2 || is(1)) return {};
  char text[80];
  std::snprintf(text, sizeof text, "off by a constant factor of %.6g", factor);
  return text;
}

bool has_nan(const Elements& elements, double CheckedElement::*which) {
  return std::any_of(elements.begin(), elements.end(),
                     [which](const CheckedElement* e) { return std::isnan(e->*which); });
}

/// A tensor seen as a whole; `all` is empty unless every element was checked.
struct Whole {
  const CheckedTensor& tensor;
  Elements all;

  double numeric(std::size_t index) const { return tensor.elements[index].numeric; }
  std::size_t rank() const { return tensor.axes.size(); }
  std::size_t extent(std::size_t d) const { return tensor.axes[d].extent; }
};

std::optional<std::string> transposed(const Whole& w) {
  if (w.rank() != 2 || w.extent(0) != w.extent(1) || w.extent(0) < 2) return {};
  const std::size_t n = w.extent(0);
  if (!all_are(w.all, [&](const CheckedElement& e) { return w.numeric(e.index % n * n + e.index / n); })) return {};
  return "transposed";
}

/// Two gates have each other's gradients.
std::optional<std::string> exchanged_gates(const Whole& w) {
  if (w.rank() == 0 || w.tensor.axes.back().gates.empty()) return {};
  const std::vector<std::string>& gates = w.tensor.axes.back().gates;
  const std::size_t each = w.extent(w.rank() - 1) / gates.size();
  for (std::size_t a = 0; a < gates.size(); ++a)
    for (std::size_t b = a + 1; b < gates.size(); ++b) {
      const auto other = [&](const CheckedElement& e) {
        const std::size_t g = w.tensor.gate(e.index);
        return w.numeric(g == a ? e.index + (b - a) * each : g == b ? e.index - (b - a) * each : e.index);
      };
      if (all_are(w.all, other)) return "the gates " + gates[a] + " and " + gates[b] + " are exchanged";
    }
  return {};
}

/// Every step along an axis has the gradient of its neighbour.
std::optional<std::string> one_step_off(const Whole& w) {
  std::size_t stride = 1;
  for (std::size_t d = w.rank(); d-- > 0; stride *= w.extent(d)) {
    if (w.extent(d) < 3) continue;
    for (const bool later : {true, false}) {
      Elements inner;  // those that have the neighbour
      for (const CheckedElement* e : w.all) {
        const std::size_t i = e->index / stride % w.extent(d);
        if (later ? i + 1 < w.extent(d) : i > 0) inner.push_back(e);
      }
      const auto neighbour = [&](const CheckedElement& e) {
        return w.numeric(later ? e.index + stride : e.index - stride);
      };
      if (all_are(inner, neighbour))
        return std::string("one step off: each place along ") + w.tensor.axes[d].name + " has the gradient of the " +
               (later ? "next" : "one before");
    }
  }
  return {};
}

std::optional<std::string> two_exchanged(const Whole& w, const Elements& wrong) {
  if (wrong.size() != 2) return {};
  const CheckedElement &a = *wrong[0], &b = *wrong[1];
  if (!all_are(wrong, [&](const CheckedElement& e) { return e.index == a.index ? b.numeric : a.numeric; })) return {};
  return w.tensor.position(a.index) + " and " + w.tensor.position(b.index) + " are exchanged";
}

class Diagnosis {
 public:
  explicit Diagnosis(const GradientReport& report) : report_(report) {
    for (const CheckedTensor& tensor : report.tensors) look_at(tensor);
  }

  /// Each cause with the places that show it.
  std::vector<std::string> lines() const {
    constexpr std::size_t shown = 6;
    std::vector<std::string> lines;
    for (const auto& [cause, places] : causes_) {
      std::string line = cause + ": ";
      for (std::size_t i = 0; i < std::min(places.size(), shown); ++i) line += (i ? ", " : "") + places[i];
      if (places.size() > shown) line += " and " + std::to_string(places.size() - shown) + " more";
      lines.push_back(line);
    }
    return lines;
  }

 private:
  void add(const std::string& cause, const std::string& place) {
    for (auto& [known, places] : causes_)
      if (known == cause) return places.push_back(place);
    causes_.push_back({cause, {place}});
  }

  void look_at(const CheckedTensor& tensor) {
    Elements elements, wrong;
    for (const CheckedElement& e : tensor.elements) {
      elements.push_back(&e);
      if (report_.wrong(e)) wrong.push_back(&e);
    }
    if (wrong.empty()) return;
    if (has_nan(elements, &CheckedElement::numeric))
      return add("f itself is NaN, or becomes NaN near these values", tensor.path);
    if (has_nan(elements, &CheckedElement::analytic))
      return add("the backward pass makes NaN (first_nan_gradient names the statement)", tensor.path);
    const Whole whole{tensor, elements.size() == tensor.size() ? elements : Elements{}};
    for (const auto& cause : {constant_factor(elements), transposed(whole), exchanged_gates(whole), one_step_off(whole),
                              two_exchanged(whole, wrong)})
      if (cause) return add(*cause, tensor.path);
    look_at_parts(tensor, elements);
  }

  /// A gate, or else a step along the first axis, whose gradients are all off by one factor.
  void look_at_parts(const CheckedTensor& tensor, const Elements& elements) {
    if (tensor.axes.empty()) return;
    const CheckedAxis& last = tensor.axes.back();
    const bool gated = !last.gates.empty();
    if (!gated && tensor.axes.size() < 2) return;
    const CheckedAxis& first = tensor.axes.front();
    const std::size_t parts = gated ? last.gates.size() : first.extent;
    const auto part_of = [&](const CheckedElement& e) {
      return gated ? tensor.gate(e.index) : e.index / (tensor.size() / first.extent);
    };
    for (std::size_t part = 0; part < parts; ++part) {
      Elements own;
      std::copy_if(elements.begin(), elements.end(), std::back_inserter(own),
                   [&](const CheckedElement* e) { return part_of(*e) == part; });
      const auto is_wrong = [this](const CheckedElement* e) { return report_.wrong(*e); };
      if (std::none_of(own.begin(), own.end(), is_wrong)) continue;
      if (const auto cause = constant_factor(own))
        add(*cause, tensor.path + " " + (gated ? last.gates[part] : first.position(first.extent, part)));
    }
  }

  const GradientReport& report_;
  std::vector<std::pair<std::string, std::vector<std::string>>> causes_;
};

}  // namespace

std::vector<std::string> diagnose(const GradientReport& report) { return Diagnosis(report).lines(); }

}  // namespace hindsight
