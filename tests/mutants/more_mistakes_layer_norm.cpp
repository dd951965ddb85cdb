// Layer normalisation without gain and bias as one operation, and mistakes in its backward. x' = x - mean(x):
//
//     s = sqrt(mean(x'^2) + epsilon)     n = x' / s
//
//     dx = (dn - mean(dn) - n mean(dn n)) / s
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<4> {};

enum class PlainNormMistake {
  none,
  statistics_constant,    // dx = dn / s
  by_variance,            // divided by s^2
  variance_added,         // + n mean(dn n)
  centred_for_normal,     // x' mean(dn x') in place of n mean(dn n)
  others_counted,         // the means are over n - 1, as of the unbiased variance
  deviation_of_next_row,  // divided by s of the next row
};

Var<double, Batch, Hidden> normalised(PlainNormMistake mistake, Var<double, Batch, Hidden> input) {
  using enum PlainNormMistake;
  constexpr std::size_t units = Hidden::extent;
  const auto result = detail::result<double, Batch, Hidden>(input.extents, input);
  const Matrix n = value(result), centred = scratch(n.rows, n.columns), s = scratch(n.rows, 1);
  const auto sum = [](auto f) {
    double total = 0;
    for (std::size_t j = 0; j < units; ++j) total += f(j);
    return total;
  };
  each(n, [&](std::size_t b, std::size_t j) {
    centred(b, j) = value(input)(b, j) - sum([&](std::size_t k) { return value(input)(b, k); }) / units;
  });
  each(n, [&](std::size_t b, std::size_t j) {
    s(b, 0) = std::sqrt(sum([&](std::size_t k) { return centred(b, k) * centred(b, k); }) / units + 1e-5);
    n(b, j) = centred(b, j) / s(b, 0);
  });
  return detail::record("plain_layer_norm(%0)", result, [=] {
    const Matrix dn = gradient(result);
    each(n, [&](std::size_t b, std::size_t j) {
      const Matrix& direction = mistake == centred_for_normal ? centred : n;
      const double count = mistake == others_counted ? units - 1 : units;
      double through_mean = sum([&](std::size_t k) { return dn(b, k); }) / count;
      double through_variance =
          direction(b, j) * sum([&](std::size_t k) { return dn(b, k) * direction(b, k); }) / count;
      if (mistake == statistics_constant) through_mean = through_variance = 0;
      if (mistake == variance_added) through_variance *= -1;
      const double deviation = s(mistake == deviation_of_next_row ? (b + 1) % n.rows : b, 0);
      gradient(input)(b, j) += (dn(b, j) - through_mean - through_variance) /
                               (mistake == by_variance ? deviation * deviation : deviation);
    });
  }, input);
}

GradientReport check(PlainNormMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto w, auto u) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var a = contract<In>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      h = tanh(normalised(mistake, a));
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Hidden>("W", seed), drawn<From<Hidden>, Hidden>("U", seed));
}

}  // namespace

std::vector<Mutant> in_plain_layer_norm() {
  using enum Mistake;
  const MutantsOf<PlainNormMistake> mutant{"plain layer norm", check};
  return {
      mutant.right(),
      mutant("mean and variance taken for constants", {missing_term}, PlainNormMistake::statistics_constant),
      mutant("divided by the variance in place of the deviation", {derivative, factor}, PlainNormMistake::by_variance),
      mutant("the variance's term is added, not subtracted", {sign, missing_term}, PlainNormMistake::variance_added),
      mutant("the variance's term from x - mean(x), not divided by s", {other_value, missing_term},
             PlainNormMistake::centred_for_normal),
      mutant("the means are over n - 1 elements", {factor, missing_term}, PlainNormMistake::others_counted),
      mutant("divided by the deviation of the next row", {other_value, step_off},
             PlainNormMistake::deviation_of_next_row),
  };
}

}  // namespace hindsight::mutants
