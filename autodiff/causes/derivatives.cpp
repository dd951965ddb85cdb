// A factor that is missing, too much, or that of another value: y (1 - y), 1 - y^2, a gate, another operand.
//
// d result_k / d operand_j is a product of factors. Were one of them missing, the gradients would be those of the
// entries divided by it. The factors that are tried are functions of the tensors at hand.
#include <algorithm>
#include <initializer_list>

#include "autodiff/causes/candidates.hpp"
#include "autodiff/causes/entries.hpp"

namespace hindsight::causes {
namespace {

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
    {"", "", [](double x) { return x; }},
    {"1 - ", "", [](double x) { return 1 - x; }},
    {"sigmoid(", ")", [](double x) { return sigmoid(x); }},
    {"1 - sigmoid(", ")", [](double x) { return 1 - sigmoid(x); }},
    {"tanh(", ")", [](double x) { return std::tanh(x); }},
    {"1 - tanh(", ")", [](double x) { return 1 - std::tanh(x); }},
    {"y (1 - y), y = tanh(", ")", [](double x) { return std::tanh(x) * (1 - std::tanh(x)); }},
    {"1 - y^2, y = sigmoid(", ")", [](double x) { return 1 - sigmoid(x) * sigmoid(x); }},
    {"1 - tanh(y)^2, y = tanh(", ")", [](double x) { return 1 - std::tanh(std::tanh(x)) * std::tanh(std::tanh(x)); }},
    {"exp(", ")", [](double x) { return std::exp(x); }},
    {"y (1 - y), y = sigmoid(1 + ", ")", [](double x) { return sigmoid(1 + x) * (1 - sigmoid(1 + x)); }},
    {"sigmoid(1 + ", ")", [](double x) { return sigmoid(1 + x); }},
    {"a (1 - a), sigmoid(a) = ", "", [](double y) { return std::log(y / (1 - y)) * (1 - std::log(y / (1 - y))); }},
    {"1 - a^2, tanh(a) = ", "", [](double y) { return 1 - std::atanh(y) * std::atanh(y); }},
    {"y^2, y = ", "", [](double x) { return x * x; }},
};

/// The functions of one tensor, at each entry.
std::vector<Factor> functions_of(const Factor& tensor) {
  std::vector<Factor> all;
  for (const Function& f : functions) {
    const bool plain = f.before[0] == '\0';
    Factor factor{f.before + tensor.text + f.after, tensor.at, plain, plain ? tensor.first : "",
                  plain ? tensor.second : ""};
    for (double& x : factor.at) x = f.value(x);
    all.push_back(std::move(factor));
  }
  return all;
}

// Enough elements of different size for a fit to mean something.
bool tells(const Evidence& e) {
  std::size_t told = 0;
  const Fit fits(e);
  for (const double g : e.numeric) told += std::abs(g) > 1e-4 * fits.largest();
  return e.has_jacobian() && told >= 3;
}

Cause derivative(const Evidence& e, std::string text) { return {Mistake::derivative, std::move(text), e.name}; }

/// Tries factors at all entries, or at those of one gate of the result.
class Tries {
 public:
  explicit Tries(const Evidence& e) : entries_(e) {
    parts_.push_back({"", std::vector<bool>(entries_.size(), true)});
    for (auto& part : entries_.gates_of_result()) parts_.push_back(std::move(part));
  }
  const Entries& entries() const { return entries_; }

  /// Where the entries times there / belongs explain the gradients: "", or " on the way from Shown". A null factor
  /// is 1.
  std::optional<std::string> explains(const Factor* there, const Factor* belongs) const {
    for (const Entries::Part& part : parts_) {
      const auto entry = [&](std::size_t n) {
        const double slope = entries_.jacobian()[n];
        return part.in[n] ? slope * (there ? there->at[n] : 1) / (belongs ? belongs->at[n] : 1) : slope;
      };
      if (entries_.fits(entry)) return part.name.empty() ? "" : " on the way from " + part.name;
    }
    return {};
  }

 private:
  Entries entries_;
  std::vector<Entries::Part> parts_;
};

}  // namespace

Found wrong_derivative(const Evidence& e) {
  if (!tells(e)) return {};
  const Tries tries(e);
  if (tries.entries().size() > 20000) return {};
  std::vector<std::vector<Factor>> tensors;
  for (const Factor& tensor : tries.entries().at_hand()) tensors.push_back(functions_of(tensor));
  for (std::size_t f = 0; f < std::size(functions); ++f)
    for (const auto& tensor : tensors) {
      if (const auto where = tries.explains(nullptr, &tensor[f]))
        return derivative(e, "the factor " + tensor[f].text + " is missing" + *where);
      if (const auto where = tries.explains(&tensor[f], nullptr))
        return derivative(e, "the factor " + tensor[f].text + " is too much" + *where);
    }
  for (const auto& tensor : tensors)
    for (const Factor& belongs : tensor)
      for (const Factor& there : tensor)
        if (&there != &belongs)
          if (const auto where = tries.explains(&there, &belongs))
            return derivative(
                e, "it is off as if it had the factor " + there.text + " where " + belongs.text + " belongs" + *where);
  return {};
}

// A function of another tensor; or of two tensors one, where their sum or difference belongs.
Found at_another_tensor(const Evidence& e) {
  if (!tells(e)) return {};
  const Tries tries(e);
  if (tries.entries().size() > 20000) return {};
  const std::vector<Factor> tensors = tries.entries().at_hand();
  for (const Factor& there : tensors)
    for (const Factor& belongs : tensors) {
      if (&there == &belongs || belongs.first.empty()) continue;
      const bool term = there.text == belongs.first || there.text == belongs.second;
      const bool turned = there.first == belongs.first && there.second == belongs.second;
      if (!term && !turned) continue;
      Factor other_sign = there;
      for (double& x : other_sign.at) x = -x;
      for (const Factor* one : std::initializer_list<const Factor*>{&there, &other_sign})
        if (const auto where = tries.explains(one, &belongs))
          return Cause{Mistake::missing_term,
                       "a term of a sum is " +
                           std::string(term ? "missing" : "added, not subtracted, or the other way round") +
                           ": it has " + there.text + " where " + belongs.text + " belongs" + *where,
                       e.name};
    }
  std::vector<Factor> all;  // gates and memories, as they are and activated
  std::vector<std::vector<Factor>> by_tensor;
  for (const Factor& tensor : tensors)
    if (tensor.first.empty() || (tensors.size() < 150 && tensor.text == tensor.first + " + " + tensor.second))
      by_tensor.push_back(functions_of(tensor));
  for (const auto& of_there : by_tensor)
    for (const auto& of_belongs : by_tensor)
      for (std::size_t f = 0; f < std::size(functions) && &of_there != &of_belongs; ++f) {
        const Factor &there = of_there[f], &belongs = of_belongs[f];
        const auto where = tries.explains(&there, &belongs);
        if (!where) continue;
        if (there.text == belongs.text + "^T" || there.text + "^T" == belongs.text)
          return Cause{Mistake::transposed, "it has " + there.text + " where " + belongs.text + " belongs" + *where,
                       e.name};
        return Cause{Mistake::other_value, "taken at " + there.text + " where " + belongs.text + " belongs" + *where,
                     e.name};
      }
  for (const auto& functions : by_tensor) all.insert(all.end(), functions.begin() + 4, functions.begin() + 9);
  if (all.size() > 500) return {};
  for (const Factor& there : all)
    for (const Factor& belongs : all)
      if (&there != &belongs)
        if (const auto where = tries.explains(&there, &belongs))
          return Cause{Mistake::other_value, "taken at " + there.text + " where " + belongs.text + " belongs" + *where,
                       e.name};
  return {};
}

// One factor of the product is that of a tensor elsewhere: the state of another step, say.
Found another_factor(const Evidence& e) {
  if (!tells(e)) return {};
  const Tries tries(e);
  const auto look_for = [&](const Field& field) -> Found {
    const std::vector<Factor> belongs = tries.entries().at(field);
    for (const Candidate& candidate : candidates(e.map, field)) {
      const std::vector<Factor> there = tries.entries().at({field.name, field.axes, candidate.values});
      for (std::size_t way = 0; way < std::min(belongs.size(), there.size()); ++way)
        if (tries.explains(&there[way], &belongs[way])) return Cause{candidate.mistake, candidate.text, e.name};
    }
    return {};
  };
  const auto look_for_all = [&](const Field& field) -> Found {
    if (field.values.empty()) return {};
    if (Found found = look_for(field)) return found;
    for (const Field& gate : gates_of(field))
      if (Found found = look_for(gate)) return found;
    return {};
  };
  for (const MapOperand& operand : e.map.operands)
    if (Found found = look_for_all(operand.field)) return found;
  return look_for_all(e.map.result);
}

// The whole derivative is taken for a tensor that it is not: x for the normalised x; or a factor that is 0 or 1, as the
// derivative of relu, has been left out.
Found wrong_jacobian(const Evidence& e) {
  if (!tells(e)) return {};
  for (const bool zeros : {false, true}) {
    const Entries entries(e, zeros);
    if (entries.size() > 20000) return {};
    std::vector<Factor> factors = entries.at_hand();
    factors.push_back({"1", std::vector<double>(entries.size(), 1.0)});
    for (const Factor& factor : factors) {
      if (!entries.fits([&](std::size_t n) { return factor.at[n]; })) continue;
      bool zero_or_it = true;
      for (std::size_t n = 0; n < entries.size(); ++n) {
        const double slope = entries.jacobian()[n];
        zero_or_it = zero_or_it && (std::abs(slope) < 1e-9 || std::abs(slope - factor.at[n]) < 1e-6 * std::abs(slope));
      }
      if (zero_or_it) return derivative(e, "a factor that is 0 or 1 is missing, as the derivative of relu is");
      return Cause{Mistake::other_value, "the derivative is taken to be " + factor.text, e.name};
    }
  }
  return {};
}

}  // namespace hindsight::causes
