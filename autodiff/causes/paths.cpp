// A path that is missing, or goes through a matrix the wrong way.
//
// Where an operand enters by a product, o M, and something is added to that product, as a bias is, the derivative by what is
// added is known at each result: d y_k / d b_m. So is then what passes through each m:
//
//     d y_k / d o_j  has the part  sum_m d y_k / d b_m  M_jm
#include <algorithm>
#include <cstdio>

#include "autodiff/causes/entries.hpp"

namespace hindsight::causes {
namespace {

bool alike(const NamedAxis& a, const NamedAxis& b) { return a.extent == b.extent && bare(a.name) == bare(b.name); }

/// Where element i lies along an axis.
std::size_t along(const std::vector<NamedAxis>& axes, std::size_t d, std::size_t i) {
  for (std::size_t inner = axes.size(); inner-- > d + 1;) i /= axes[inner].extent;
  return i % axes[d].extent;
}

/// What passes to each entry through some of the columns of a matrix, turned or not.
struct Passed {
  std::string name;                    // "W Candidate"
  bool square;                         // it can be turned
  std::vector<double> right, turned;   // result x operand
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
    if (bias.field.axes.size() != 1 || bias.jacobian.empty()) continue;
    const NamedAxis& out = bias.field.axes[0];
    for (const MapOperand& matrix : e.map.operands) {
      if (matrix.field.axes.size() != 2 || !(matrix.field.axes[1] == out) || !alike(matrix.field.axes[0], own)) continue;
      const std::size_t each = out.gate_extent();
      for (std::size_t g = 0; g < out.extent / each; ++g) {
        Passed p{matrix.field.name + (out.gates.empty() ? "" : " " + out.gates[g]), own.extent == each, {}, {}};
        for (std::size_t k = 0; k < results; ++k)
          for (std::size_t j = 0; j < e.size(); ++j) {
            double right = 0, turned = 0;
            if (along(e.map.result.axes, result_batch, k) == along(e.axes, *batch, j)) {
              const std::size_t row = along(e.axes, 1 - *batch, j);
              for (std::size_t m = 0; m < each; ++m) {
                const double by_bias = bias.jacobian[k * out.extent + g * each + m];
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
  const std::vector<double>&J = e.by().jacobian, &A = e.by().analytic_jacobian;
  double largest = 0, off = 0;
  for (std::size_t n = 0; n < J.size(); ++n) {
    largest = std::max({largest, std::abs(J[n]), std::abs(A[n])});
    off = std::max(off, std::abs(J[n] - A[n]));
  }
  const double slack = std::min(1e-6 * largest, 1e-2 * off);
  const auto fits = [&](auto expected) {
    for (std::size_t n = 0; n < J.size(); ++n)
      if (!(std::abs(A[n] - expected(n)) <= slack)) return false;
    return true;
  };
  const auto turned_all = [&](std::size_t n) {
    double sum = J[n];
    for (const Passed& p : paths) sum += p.turned[n] - p.right[n];
    return sum;
  };
  if (paths[0].square && fits(turned_all)) return Cause{Mistake::transposed, paths[0].name.substr(0, paths[0].name.find(' ')) + " is used transposed", e.name};
  // What the other tensors at hand would make of a path that passes through them.
  std::vector<Factor> factors{{"", std::vector<double>(e.size(), 1.0)}};
  for (const Field& field : fields_on(e.axes, e.map))
    for (const bool activated : {false, true}) {
      Factor factor{activated ? "sigmoid(" + field.name + ")" : field.name, field.values};
      if (activated)
        for (double& x : factor.at) x = 1 / (1 + std::exp(-x));
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
        return Cause{Mistake::derivative, "the factor " + factor.text + " is missing on the way through " + p.name, e.name};
    }
  }
  return {};
}

// y = x + .., so that each element passes on its own gradient: what is wrong may be the rest.
Found beside_the_direct_path(const Evidence& e) {
  if (!e.has_jacobian() || !e.has_analytic_jacobian() || e.map.seed.size() != e.by().field.values.size()) return {};
  const std::vector<double>&J = e.by().jacobian, &A = e.by().analytic_jacobian;
  const std::size_t size = e.map.seed.size();
  if (e.size() != size || size < 3) return {};
  double largest = 0, off = 0, others = 0, across = 0;
  for (std::size_t n = 0; n < J.size(); ++n) {
    largest = std::max({largest, std::abs(J[n]), std::abs(A[n])});
    off = std::max(off, std::abs(J[n] - A[n]));
    if (n % (size + 1) != 0) {
      others = std::max(others, std::abs(A[n]));
      across = std::max(across, std::abs(J[n]));
    }
  }
  const double slack = std::min(1e-6 * largest, 1e-2 * off);
  if (across > 1e-6 * largest && others <= slack)
    return Cause{Mistake::missing_term, "a term of a sum is missing: each element sees its own result alone, not its neighbours'", e.name};
  const auto fits = [&](auto rest) {
    for (std::size_t k = 0; k < size; ++k)
      for (std::size_t j = 0; j < size; ++j) {
        const double direct = k == j ? 1 : 0, right = J[k * size + j] - direct;
        if (!(std::abs(A[k * size + j] - direct - rest(k, j, right)) <= slack)) return false;
      }
    return true;
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
        if (exponential && fits([&](std::size_t k, std::size_t j, double right) { return right / factor(k, j) * field.values[of_result ? k : j]; }))
          return Cause{Mistake::other_value, "a term is taken at " + field.name + " where " + name + " belongs", e.name};
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
  for (std::size_t j = 0; j < size; ++j) largest = std::max(largest, std::abs(off[j] = A[j * size + j] - J[j * size + j]));
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
        Factor gate{std::string(rest ? "1 - " : "") + (activated ? "sigmoid(" + field.name + ")" : field.name), field.values};
        for (double& x : gate.at) {
          if (activated) x = 1 / (1 + std::exp(-x));
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
        return Cause{Mistake::other_value, "the direct path has " + there.text + " where " + belongs.text + " belongs", e.name};
  return {};
}

// Right at some elements; and at the others 0, or not 0 where it should be, or off by one factor: a mask, a side of a kink, a
// weight of some.
Found right_at_some(const Evidence& e) {
  const Fit fits(e);
  std::size_t right = 0, zero = 0, not_zero = 0, scaled = 0;
  double factor = 0;
  for (std::size_t j = 0; j < e.size(); ++j) {
    const double a = e.analytic[j], n = e.numeric[j], slack = 1e-7 * fits.largest();
    if (std::abs(a - n) <= slack) {
      right += n != 0;
    } else if (a == 0) {
      ++zero;
    } else if (n == 0) {
      ++not_zero;
    } else {
      if (scaled++ == 0) factor = a / n;
      if (std::abs(a - factor * n) > 1e-6 * fits.largest()) return {};
    }
  }
  if (right < 2) return {};
  if (zero >= 2 && not_zero + scaled == 0)
    return Cause{Mistake::cut_off, "zero at some elements and right at the others (a mask, or a side of a kink)", e.name};
  if (not_zero >= 2 && zero + scaled == 0)
    return Cause{Mistake::derivative, "a factor that is 0 or 1 is missing, a mask: not zero at some elements, right at the others", e.name};
  if (scaled >= 2 && zero + not_zero == 0 && std::abs(factor - 1) > 1e-4) {
    char text[100];
    std::snprintf(text, sizeof text, "off by a constant factor of %.7g at some elements, and right at the others", factor);
    return Cause{Mistake::factor, text, e.name};
  }
  return {};
}

// All of one size, with the right signs.
Found only_the_sign(const Evidence& e) {
  if (e.size() < 3) return {};
  const double size = std::abs(e.analytic[0]);
  for (std::size_t j = 0; j < e.size(); ++j) {
    if (!(std::abs(std::abs(e.analytic[j]) - size) <= 1e-9 * size)) return {};
    if ((e.analytic[j] > 0) != (e.numeric[j] > 0)) return {};
  }
  return Cause{Mistake::derivative, "only the sign of what it should be: the factor of the value itself is missing", e.name};
}

// Two operands have each other's gradients.
Found exchanged_operands(const Evidence& e) {
  for (std::size_t o = 0; o < e.map.operands.size(); ++o) {
    const MapOperand &own = e.by(), &other = e.map.operands[o];
    if (o == e.operand || other.numeric.size() != own.numeric.size() || e.size() != own.numeric.size()) continue;
    double largest = 0, off = 0;
    for (std::size_t j = 0; j < own.numeric.size(); ++j) {
      largest = std::max({largest, std::abs(own.numeric[j]), std::abs(other.numeric[j])});
      off = std::max({off, std::abs(own.analytic[j] - other.numeric[j]), std::abs(other.analytic[j] - own.numeric[j])});
    }
    if (largest > 0 && off <= 1e-6 * largest && !(own.numeric == other.numeric))
      return Cause{Mistake::exchanged, "exchanged with the gradient of " + other.field.name, e.name};
  }
  return {};
}

}  // namespace hindsight::causes
