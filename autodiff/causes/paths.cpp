// A path that is missing, or goes through a matrix the wrong way.
//
// Where an operand enters by a product, o M, and something is added to that product, as a bias is, the derivative by
// what is added is known at each result: d y_k / d b_m. So is then what passes through each m:
//
//     d y_k / d o_j  has the part  sum_m d y_k / d b_m  M_jm
#include <algorithm>

#include "autodiff/causes/entries.hpp"

namespace hindsight::causes {
namespace {

/// What passes to each entry through some of the columns of a matrix, turned or not.
struct Passed {
  std::string name;                   // "W Candidate"
  bool square;                        // it can be turned
  std::vector<double> right, turned;  // result x operand
};

/// The axis of the operand that counts the sequences: it is the result's too.
std::optional<std::size_t> batch_axis(const Evidence& e) {
  for (std::size_t d = 0; d < e.axes.size(); ++d)
    if (std::find(e.map.result.axes.begin(), e.map.result.axes.end(), e.axes[d]) != e.map.result.axes.end()) return d;
  return {};
}

std::vector<Passed> passed(const Evidence& e) {
  std::vector<Passed> all;
  const std::size_t results = e.map.seed.size();
  const auto batch = batch_axis(e);
  if (!batch || e.axes.size() != 2) return all;
  const auto result_batch = static_cast<std::size_t>(
      std::find(e.map.result.axes.begin(), e.map.result.axes.end(), e.axes[*batch]) - e.map.result.axes.begin());
  const NamedAxis& own = e.axes[1 - *batch];
  for (const MapOperand& bias : e.map.operands) {
    const std::size_t rank = bias.field.axes.size();
    const bool per_sequence = rank == 2 && bias.field.axes[0] == e.axes[*batch];
    if ((rank != 1 && !per_sequence) || bias.jacobian.empty() || &bias == &e.by()) continue;
    const NamedAxis& out = bias.field.axes.back();
    const std::size_t size = bias.field.values.size();
    for (const MapOperand& matrix : e.map.operands) {
      if (matrix.field.axes.size() != 2 || !(matrix.field.axes[1] == out) || !alike(matrix.field.axes[0], own))
        continue;
      const std::size_t each = out.gate_extent();
      for (std::size_t g = 0; g < out.extent / each; ++g) {
        Passed p{matrix.field.name + (out.gates.empty() ? "" : " " + out.gates[g]), own.extent == each, {}, {}};
        for (std::size_t k = 0; k < results; ++k)
          for (std::size_t j = 0; j < e.size(); ++j) {
            double right = 0, turned = 0;
            if (along(e.map.result.axes, result_batch, k) == along(e.axes, *batch, j)) {
              const std::size_t row = along(e.axes, 1 - *batch, j);
              for (std::size_t m = 0; m < each; ++m) {
                const std::size_t sequence = per_sequence ? along(e.axes, *batch, j) : 0;
                const double by_bias = bias.jacobian[k * size + sequence * out.extent + g * each + m];
                right += by_bias * matrix.field.values[row * out.extent + g * each + m];
                if (own.extent == each) turned += by_bias * matrix.field.values[m * out.extent + g * each + row];
              }
            }
            p.right.push_back(right);
            p.turned.push_back(turned);
          }
        all.push_back(std::move(p));
      }
    }
  }
  return all;
}

}  // namespace

Found missing_path(const Evidence& e) {
  if (!e.has_jacobian() || !e.has_analytic_jacobian() || e.size() != e.by().field.values.size()) return {};
  const std::vector<Passed> paths = passed(e);
  if (paths.empty()) return {};
  const std::vector<double>& J = e.by().jacobian;
  const JacobianFit fits(e);
  const auto turned_all = [&](std::size_t n) {
    double sum = J[n];
    for (const Passed& p : paths) sum += p.turned[n] - p.right[n];
    return sum;
  };
  if (paths[0].square && fits(turned_all))
    return Cause{Mistake::transposed, paths[0].name.substr(0, paths[0].name.find(' ')) + " is used transposed", e.name};
  // What the other tensors at hand would make of a path that passes through them.
  std::vector<Factor> factors{{"", std::vector<double>(e.size(), 1.0)}};
  for (const Field& field : fields_on(e.axes, e.map))
    for (const bool activated : {false, true}) {
      Factor factor{activated ? "sigmoid(" + field.name + ")" : field.name, field.values};
      if (activated)
        for (double& x : factor.at) x = sigmoid(x);
      factors.push_back(std::move(factor));
    }
  for (const Passed& p : paths) {
    if (p.square && fits([&](std::size_t n) { return J[n] + p.turned[n] - p.right[n]; }))
      return Cause{Mistake::transposed, p.name + " is used transposed", e.name};
    for (const Factor& factor : factors) {
      const auto part = [&](std::size_t n) { return p.right[n] * factor.at[n % e.size()]; };
      const std::string through = p.name + (factor.text.empty() ? "" : " and " + factor.text);
      if (fits([&](std::size_t n) { return J[n] - part(n); }))
        return Cause{Mistake::missing_term, "a term of a sum is missing: nothing arrives through " + through, e.name};
      if (fits([&](std::size_t n) { return J[n] - 2 * part(n); }))
        return Cause{Mistake::sign, "the sign of what arrives through " + through + " is flipped", e.name};
      if (!factor.text.empty() && fits([&](std::size_t n) { return J[n] - part(n) + p.right[n]; }))
        return Cause{Mistake::derivative, "the factor " + factor.text + " is missing on the way through " + p.name,
                     e.name};
    }
  }
  return {};
}

}  // namespace hindsight::causes
