#include "autodiff/optimizers.hpp"

#include <cmath>
#include <cstdio>

namespace hindsight {
namespace {

/// A hyperparameter as it is named in messages.
struct Named {
  const char* name;
  double value;
};

[[noreturn]] void out_of_range(const char* optimizer, const Named& p, const std::string& expected) {
  char value[32];
  std::snprintf(value, sizeof value, "%g", p.value);
  throw Error(std::string(optimizer) + ": " + p.name + " is " + value + ", expected " + expected);
}

void check_not_negative(const char* optimizer, std::initializer_list<Named> list) {
  for (const Named& p : list)
    if (!(p.value >= 0 && std::isfinite(p.value))) out_of_range(optimizer, p, "a finite number of at least 0");
}

/// What an average keeps of itself from step to step.
void check_decay(const char* optimizer, std::initializer_list<Named> list) {
  for (const Named& p : list)
    if (!(p.value >= 0 && p.value < 1)) out_of_range(optimizer, p, "at least 0 and below 1");
}

/// A denominator: with 0, an element that never had a gradient would become 0 / 0.
void check_epsilon(const char* optimizer, double epsilon) {
  if (!(epsilon > 0 && std::isfinite(epsilon))) out_of_range(optimizer, {"epsilon", epsilon}, "a finite number above 0");
}

}  // namespace

double detail::one_minus_power(double beta, std::uint64_t t) {
  return -std::expm1(static_cast<double>(t) * std::log(beta));
}

void SgdRule::check() const {
  check_not_negative(name, {{"rate", rate}, {"weight_decay", weight_decay}});
  check_decay(name, {{"momentum", momentum}});
}

void RmsPropRule::check() const {
  check_not_negative(name, {{"rate", rate}, {"weight_decay", weight_decay}});
  check_decay(name, {{"decay", decay}});
  check_epsilon(name, epsilon);
}

void AdamRule::check() const {
  check_not_negative(name, {{"rate", rate}, {"weight_decay", weight_decay}});
  check_decay(name, {{"beta1", beta1}, {"beta2", beta2}});
  check_epsilon(name, epsilon);
}

void AdamWRule::check() const {
  check_not_negative(name, {{"rate", rate}, {"weight_decay", weight_decay}});
  check_decay(name, {{"beta1", beta1}, {"beta2", beta2}});
  check_epsilon(name, epsilon);
}

void detail::state_does_not_fit(const char* optimizer, const Path& path) {
  throw Error(std::string(optimizer) + ": parameter '" + path.text() +
              "' differs from the one of the steps before in place, size or scalar, expected one module an optimizer");
}

void detail::parameters_missing(const char* optimizer, std::size_t expected, std::size_t found) {
  throw Error(std::string(optimizer) + ": the module has " + std::to_string(found) + " parameters, " +
              std::to_string(expected) + " in the steps before, expected one module an optimizer");
}

}  // namespace hindsight
