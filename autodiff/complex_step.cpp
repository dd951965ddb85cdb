#include "autodiff/complex_step.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

namespace hindsight::detail {
namespace {

constexpr double step = 1e-30;

/// i h is added to what a place holds, and taken off at the end. Parameters are edited.
class Stepped {
 public:
  Stepped(Complex& place, ParameterCore<Complex>* parameter) : place_(place), parameter_(parameter) { set(step); }
  ~Stepped() { set(0); }
  Stepped(const Stepped&) = delete;
  Stepped& operator=(const Stepped&) = delete;

 private:
  void set(double imaginary) {
    std::optional<Edit<Complex>> edit;
    if (parameter_) edit.emplace(*parameter_);
    place_.imag(imaginary);
  }

  Complex& place_;
  ParameterCore<Complex>* parameter_;
};

/// Why the outputs cannot be those of one function; nothing if they can.
std::optional<std::string> difference(std::span<const double> y, std::span<const Complex> z, double tolerance) {
  std::ostringstream text;
  text.precision(17);
  text << "f is not the same in double and in complex numbers: ";
  if (y.size() != z.size()) {
    text << y.size() << " outputs and " << z.size();
    return text.str();
  }
  double largest = 0;
  for (const double each : y)
    if (std::isfinite(each)) largest = std::max(largest, std::abs(each));
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (y[k] == z[k].real() || std::abs(y[k] - z[k].real()) <= tolerance * largest) continue;
    text << "output " << k << " is " << y[k] << " and " << z[k].real();
    return text.str();
  }
  return {};
}

}  // namespace

void TwinParameters::copy_values() const {
  if (parameters.size() != twins.size())
    throw Error("complex step: the modules have " + std::to_string(parameters.size()) + " parameters, their twins " +
                std::to_string(twins.size()));
  for (std::size_t i = 0; i < twins.size(); ++i) {
    const auto& [path, parameter] = parameters[i];
    if (parameter->size() != twins[i]->size())
      throw Error("complex step: parameter" + (path.empty() ? "" : " " + path) + " has " +
                  std::to_string(parameter->size()) + " elements, its twin " + std::to_string(twins[i]->size()));
    Edit<Complex> edit(*twins[i]);
    std::copy_n(parameter->value(), parameter->size(), edit.begin());
  }
}

ParameterCore<Complex>* TwinParameters::twin_of(const ParameterCore<double>* parameter) const {
  for (std::size_t i = 0; i < twins.size(); ++i)
    if (parameters[i].second == parameter) return twins[i];
  return nullptr;
}

GradientReport check_by_complex_step(CheckedFunction& f, ComplexFunction& twin, const ComplexStepOptions& options) {
  twin.parameters.copy_values();
  {
    Tape tape;
    const NoRecording guard;
    const CheckedOutput y = f.run();
    if (const auto why = difference({y.value, y.size}, twin.run(), options.tolerance))
      return {.tolerance = options.tolerance, .tensors = {}, .causes = {}, .unexplained = {}, .problems = {*why}};
  }

  f.slope = [&](std::size_t s, std::size_t i, const std::vector<double>& weights) {
    Tape::current().reset();
    const NoRecording guard;
    ParameterCore<Complex>* parameter = twin.parameters.twin_of(f.subjects[s].parameter);
    const Stepped stepped((parameter ? parameter->value() : twin.inputs[s])[i], parameter);
    const std::span<const Complex> y = twin.run();
    double slope = 0;
    for (std::size_t k = 0; k < y.size(); ++k) slope += weights[k] * y[k].imag();
    return slope / step;
  };
  return check(f, {.tolerance = options.tolerance, .elements = options.elements, .seed = options.seed});
}

}  // namespace hindsight::detail
