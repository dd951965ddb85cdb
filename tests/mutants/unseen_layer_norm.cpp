// A residual sum and its layer normalisation as one operation, "add & norm" (Vaswani et al. 2017), and mistakes in its
// backward.
//
//     u = x + r     n = (u - mean(u)) / s,   s = sqrt(var(u) + epsilon)     y = gain n + bias
//
//     dn = dy gain  dx = dr = (dn - mean(dn) - n mean(dn n)) / s
//     dgain = sum of dy n over the batch                                    dbias = sum of dy over the batch
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<3> {};
struct In : Axis<2> {};
struct Hidden : Axis<4> {};

enum class NormMistake {
  none,
  none_far_from_zero,
  sums_for_means,       // dn - sum(dn) - n sum(dn n)
  unbiased_variance,    // n sum(dn n) / (H - 1)
  divided_by_variance,  // / s^2
  gain_from_output,     // dgain = sum of dy y
  gain_of_first_row,    // dgain of the first sequence
  residual_past_norm,   // dr = dy
  in_float,             // u - mean(u) of floats, where both are large
};

Var<double, Batch, Hidden> add_and_norm(NormMistake mistake, Var<double, Batch, Hidden> input,
                                        Var<double, Batch, Hidden> residual, Var<double, Hidden> gain,
                                        Var<double, Hidden> bias) {
  using enum NormMistake;
  constexpr std::size_t units = Hidden::extent;
  const auto result = detail::result<double, Batch, Hidden>(input.extents, input, residual, gain, bias);
  const Matrix y = value(result), centre = scratch(y.rows, 1), s = scratch(y.rows, 1);
  const auto u = [=](std::size_t b, std::size_t j) { return value(input)(b, j) + value(residual)(b, j); };
  const auto sum = [](auto term) {
    double total = 0;
    for (std::size_t k = 0; k < units; ++k) total += term(k);
    return total;
  };
  for (std::size_t b = 0; b < y.rows; ++b) {
    centre(b, 0) = sum([&](std::size_t k) { return u(b, k); }) / units;
    const double variance = sum([&](std::size_t k) { return std::pow(u(b, k) - centre(b, 0), 2); }) / units;
    s(b, 0) = std::sqrt(variance + 1e-5);
    for (std::size_t j = 0; j < units; ++j)
      y(b, j) = value(gain)(0, j) * (u(b, j) - centre(b, 0)) / s(b, 0) + value(bias)(0, j);
  }

  return detail::record("add_and_norm(%0, %1, %2, %3)", result, [=] {
    const Matrix dy = gradient(result);
    each(y, [&](std::size_t b, std::size_t j) {
      const auto dn = [&](std::size_t k) { return dy(b, k) * value(gain)(0, k); };
      const auto n = [&](std::size_t k) {
        const double from_centre = mistake == in_float
                                       ? static_cast<float>(u(b, k)) - static_cast<float>(centre(b, 0))
                                       : u(b, k) - centre(b, 0);
        return from_centre / s(b, 0);
      };
      const double count = mistake == sums_for_means ? 1 : units;
      const double of_variance = mistake == unbiased_variance ? count - 1 : count;
      const double through_variance = n(j) * sum([&](std::size_t k) { return dn(k) * n(k); }) / of_variance;
      const double divisor = mistake == divided_by_variance ? s(b, 0) * s(b, 0) : s(b, 0);
      const double du = (dn(j) - sum(dn) / count - through_variance) / divisor;
      gradient(input)(b, j) += du;
      gradient(residual)(b, j) += mistake == residual_past_norm ? dy(b, j) : du;
      if (mistake != gain_of_first_row || b == 0)
        gradient(gain)(0, j) += dy(b, j) * (mistake == gain_from_output ? y(b, j) : n(j));
      gradient(bias)(0, j) += dy(b, j);
    });
  }, input, residual, gain, bias);
}

GradientReport check(NormMistake mistake, std::uint64_t seed) {
  using enum NormMistake;
  // The normalised does not change when all inputs are larger; what a float keeps of them does.
  const double more = mistake == in_float || mistake == none_far_from_zero ? 10 : 0;
  const auto f = [mistake, more](auto xs, auto h, auto w, auto gain, auto bias) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var x = tanh(contract<In>(at<Time>(xs, t), w)) + more;
      h = add_and_norm(mistake, x, h, gain, bias);
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Hidden>("W", seed), drawn<Hidden>("gain", seed), drawn<Hidden>("bias", seed));
}

}  // namespace

std::vector<Mutant> unseen_in_layer_norm() {
  using enum Mistake;
  const MutantsOf<NormMistake> mutant{"add & norm", check};
  return {
      mutant.right(),
      mutant("as it should be, far from zero", {}, NormMistake::none_far_from_zero),
      mutant("sums in place of the means", {factor, missing_term}, NormMistake::sums_for_means),
      mutant("the variance's term is divided by H - 1", {factor, missing_term}, NormMistake::unbiased_variance),
      mutant("divided by the variance in place of the deviation", {derivative, factor},
             NormMistake::divided_by_variance),
      mutant("the gain's gradient from the output in place of the normalised", {other_value},
             NormMistake::gain_from_output),
      mutant("the gain gets the first row of the batch only", {not_reduced}, NormMistake::gain_of_first_row),
      mutant("the residual's gradient is dy, past the norm", {derivative, missing_term},
             NormMistake::residual_past_norm),
      mutant("the distance from the mean is computed in float", {float_precision}, NormMistake::in_float),
  };
}

}  // namespace hindsight::mutants
