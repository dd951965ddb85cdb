// The direct path of a result that has the operand's own elements: y = x + .., h_t = z h_{t-1} + ...
#include <algorithm>

#include "autodiff/causes/entries.hpp"

namespace hindsight::causes {

// y = x + .., so that each element passes on its own gradient: what is wrong may be the rest.
Found beside_the_direct_path(const Evidence& e) {
  if (!e.has_jacobian() || !e.has_analytic_jacobian() || e.map.seed.size() != e.by().field.values.size()) return {};
  const std::vector<double>&J = e.by().jacobian, &A = e.by().analytic_jacobian;
  const std::size_t size = e.map.seed.size();
  if (e.size() != size || size < 3) return {};
  const JacobianFit jacobian_is(e);
  double others = 0, across = 0;
  for (std::size_t n = 0; n < J.size(); ++n)
    if (n % (size + 1) != 0) {
      others = std::max(others, std::abs(A[n]));
      across = std::max(across, std::abs(J[n]));
    }
  if (across > 1e-6 * jacobian_is.largest() && others <= jacobian_is.slack())
    return Cause{Mistake::missing_term,
                 "a term of a sum is missing: each element sees its own result alone, not its neighbours'", e.name};
  const auto fits = [&](auto rest) {
    return jacobian_is([&](std::size_t n) {
      const std::size_t k = n / size, j = n % size;
      const double direct = k == j ? 1 : 0;
      return direct + rest(k, j, J[n] - direct);
    });
  };
  if (fits([](std::size_t, std::size_t, double right) { return -right; }))
    return Cause{Mistake::sign, "the sign of a term is flipped: of what is not each element's own gradient", e.name};
  const std::vector<Field> fields = fields_on(e.map.result.axes, e.map);
  for (const Field& field : fields)
    for (const bool of_result : {false, true})
      for (const bool exponential : {true, false}) {
        const auto factor = [&](std::size_t k, std::size_t j) {
          const double x = field.values[of_result ? k : j];
          return exponential ? std::exp(x) : x;
        };
        const std::string name = exponential ? "exp(" + field.name + ")" : field.name;
        if (fits([&](std::size_t k, std::size_t j, double right) { return right / factor(k, j); }))
          return Cause{Mistake::derivative, "the factor " + name + " is missing in a term", e.name};
        if (exponential && fits([&](std::size_t k, std::size_t j, double right) {
              return right / factor(k, j) * field.values[of_result ? k : j];
            }))
          return Cause{Mistake::other_value, "a term is taken at " + field.name + " where " + name + " belongs",
                       e.name};
      }
  return {};
}

// Each element's own result alone is differentiated wrongly, as by a gate z where 1 - z belongs.
Found wrong_direct_path(const Evidence& e) {
  if (!e.has_jacobian() || !e.has_analytic_jacobian() || e.map.seed.size() != e.by().field.values.size()) return {};
  const std::vector<double>&J = e.by().jacobian, &A = e.by().analytic_jacobian;
  const std::size_t size = e.map.seed.size();
  if (e.size() != size || size < 3) return {};
  std::vector<double> off(size);
  double largest = 0;
  for (std::size_t j = 0; j < size; ++j)
    largest = std::max(largest, std::abs(off[j] = A[j * size + j] - J[j * size + j]));
  for (std::size_t n = 0; n < J.size(); ++n)
    if (n % (size + 1) != 0 && std::abs(A[n] - J[n]) > 1e-6 * largest) return {};
  const auto is = [&](auto value) {
    for (std::size_t j = 0; j < size; ++j)
      if (!(std::abs(off[j] - value(j)) <= 1e-6 * largest)) return false;
    return true;
  };
  std::vector<Factor> gates{{"1", std::vector<double>(size, 1.0)}};
  for (const Field& field : fields_on(e.axes, e.map))
    for (const bool activated : {false, true})
      for (const bool rest : {false, true}) {
        Factor gate{std::string(rest ? "1 - " : "") + (activated ? "sigmoid(" + field.name + ")" : field.name),
                    field.values};
        for (double& x : gate.at) {
          if (activated) x = sigmoid(x);
          if (rest) x = 1 - x;
        }
        gates.push_back(std::move(gate));
      }
  for (const Factor& gate : gates)
    if (is([&](std::size_t j) { return -gate.at[j]; }))
      return Cause{Mistake::missing_term, "a term of a sum is missing: the direct path, by " + gate.text, e.name};
  for (const Factor& there : gates)
    for (const Factor& belongs : gates)
      if (&there != &belongs && is([&](std::size_t j) { return there.at[j] - belongs.at[j]; }))
        return Cause{Mistake::other_value, "the direct path has " + there.text + " where " + belongs.text + " belongs",
                     e.name};
  return {};
}

}  // namespace hindsight::causes
