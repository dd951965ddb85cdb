// A factor that is missing, too much, or that of another value: y (1 - y), 1 - y^2, a gate.
//
// Where the gradient of each element is a product, its ratio to what it should be tells the factor: 1 / (y (1 - y))
// if that is missing. The factors that are tried are functions of what is at hand: the operands and the result.
#include "autodiff/causes/evidence.hpp"

namespace hindsight::causes {
namespace {

/// A factor that a backward may have: at each element.
struct Factor {
  std::string text;
  std::vector<double> at;
  bool plain = false;  // a tensor itself
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Function {
  const char* before;  // a name stands between the two: "sigmoid(", "x", ")"
  const char* after;
  double (*value)(double);
};

constexpr Function functions[] = {
    {"y (1 - y), y = sigmoid(", ")", [](double x) { return sigmoid(x) * (1 - sigmoid(x)); }},
    {"1 - y^2, y = tanh(", ")", [](double x) { return 1 - std::tanh(x) * std::tanh(x); }},
    {"y (1 - y), y = ", "", [](double x) { return x * (1 - x); }},
    {"1 - y^2, y = ", "", [](double x) { return 1 - x * x; }},
    {"y (1 - y), y = tanh(", ")", [](double x) { return std::tanh(x) * (1 - std::tanh(x)); }},
    {"1 - y^2, y = sigmoid(", ")", [](double x) { return 1 - sigmoid(x) * sigmoid(x); }},
    {"", "", [](double x) { return x; }},
    {"1 - ", "", [](double x) { return 1 - x; }},
    {"sigmoid(", ")", [](double x) { return sigmoid(x); }},
    {"1 - sigmoid(", ")", [](double x) { return 1 - sigmoid(x); }},
    {"tanh(", ")", [](double x) { return std::tanh(x); }},
    {"1 - tanh(", ")", [](double x) { return 1 - std::tanh(x); }},
    {"y^2, y = ", "", [](double x) { return x * x; }},
};

std::vector<Factor> factors_on(const std::vector<NamedAxis>& axes, const CheckedMap& map) {
  std::vector<Factor> all{{"", std::vector<double>(count(axes), 1.0)}};
  const std::vector<Field> fields = fields_on(axes, map);
  for (const Function& f : functions)
    for (const Field& field : fields) {
      Factor factor{f.before + field.name + f.after, {}, f.before[0] == '\0'};
      for (const double x : field.values) factor.at.push_back(f.value(x));
      all.push_back(std::move(factor));
    }
  return all;
}

Cause say(const Factor& there, const Factor& belongs, const Evidence& e) {
  if (there.text.empty()) return {Mistake::derivative, "the factor " + belongs.text + " is missing", e.name};
  if (belongs.text.empty()) return {Mistake::derivative, "the factor " + there.text + " is too much", e.name};
  if (there.plain && belongs.plain)
    return {Mistake::other_value, "taken at " + there.text + " where " + belongs.text + " belongs", e.name};
  return {Mistake::derivative, "it has the factor " + there.text + " where " + belongs.text + " belongs", e.name};
}

// Calls try_it(there, belongs) for pairs of factors, the simplest first, until one is found.
template <class Try>
Found first_pair(const std::vector<Factor>& factors, bool also_two, Try try_it) {
  for (std::size_t b = 1; b < factors.size(); ++b)
    if (Found found = try_it(factors[0], factors[b])) return found;
  for (std::size_t a = 1; a < factors.size(); ++a)
    if (Found found = try_it(factors[a], factors[0])) return found;
  for (std::size_t b = 1; also_two && b < factors.size(); ++b)
    for (std::size_t a = 1; a < factors.size(); ++a)
      if (a != b)
        if (Found found = try_it(factors[a], factors[b])) return found;
  return {};
}

// Enough elements of different size for a ratio to mean something.
bool tells(const Evidence& e) {
  std::size_t told = 0;
  const Fit fits(e);
  for (const double g : e.numeric) told += std::abs(g) > 1e-4 * fits.largest();
  return told >= 3;
}

}  // namespace

Found wrong_derivative(const Evidence& e) {
  if (!tells(e) || e.values.empty()) return {};
  const Fit fits(e);
  return first_pair(factors_on(e.axes, e.map), true, [&](const Factor& there, const Factor& belongs) -> Found {
    std::vector<double> expected = e.numeric;
    for (std::size_t j = 0; j < e.size(); ++j) expected[j] *= there.at[j] / belongs.at[j];
    if (!fits(expected)) return {};
    return say(there, belongs, e);
  });
}

// The same where the factor is the result's, and the gradient passes on through a product: d x = (d y * factor) W^T.
Found wrong_derivative_of_the_result(const Evidence& e) {
  if (!e.has_jacobian() || !tells(e)) return {};
  const Fit fits(e);
  const bool small = e.map.seed.size() * e.size() <= 4096;
  return first_pair(factors_on(e.map.result.axes, e.map), small, [&](const Factor& there, const Factor& belongs) -> Found {
    std::vector<double> seed = e.map.seed;
    for (std::size_t k = 0; k < seed.size(); ++k) seed[k] *= there.at[k] / belongs.at[k];
    if (!fits(e.numeric_for(seed))) return {};
    return say(there, belongs, e);
  });
}

}  // namespace hindsight::causes
