// Layer normalisation (Ba, Kiros and Hinton 2016) as one operation, and mistakes in its backward.
//
//     n = (x - mean(x)) / s,   s = sqrt(var(x) + epsilon)      y = gain n + bias
//
//     dn = dy gain             dx = (dn - mean(dn) - n mean(dn n)) / s
//     dgain = sum of dy n over the batch                       dbias = sum of dy over the batch
//
// mean(dn) comes from the mean, n mean(dn n) from the variance.
#include <cmath>
#include <utility>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<5> {};

enum class NormMistake {
  none,
  mean_constant,     // without mean(dn)
  mean_twice,        // - 2 mean(dn)
  variance_constant, // without n mean(dn n)
  without_gain,      // dn = dy
  without_deviation, // not divided by s
  gain_from_x,       // dgain = sum of dy x
  gain_and_bias,     // dgain and dbias exchanged
  bias_of_last_row,  // dbias = dy of the last sequence
};

Var<double, Batch, Hidden> normalised(NormMistake mistake, Var<double, Batch, Hidden> input, Var<double, Hidden> gain,
                                      Var<double, Hidden> bias) {
  using enum NormMistake;
  constexpr std::size_t units = Hidden::extent;
  const auto result = detail::result<double, Batch, Hidden>(input.extents, input, gain, bias);
  const Matrix x = value(input), n = scratch(x.rows, x.columns), s = scratch(x.rows, 1);
  const auto mean = [](auto f) {
    double sum = 0;
    for (std::size_t j = 0; j < units; ++j) sum += f(j);
    return sum / units;
  };
  for (std::size_t b = 0; b < x.rows; ++b) {
    const double centre = mean([&](std::size_t j) { return x(b, j); });
    s(b, 0) = std::sqrt(mean([&](std::size_t j) { return (x(b, j) - centre) * (x(b, j) - centre); }) + 1e-5);
    for (std::size_t j = 0; j < units; ++j) {
      n(b, j) = (x(b, j) - centre) / s(b, 0);
      value(result)(b, j) = value(gain)(0, j) * n(b, j) + value(bias)(0, j);
    }
  }
  return detail::record("layer_norm(%0, %1, %2)", result, [=] {
    const Matrix dy = gradient(result);
    Matrix dgain = gradient(gain), dbias = gradient(bias);
    if (mistake == gain_and_bias) std::swap(dgain, dbias);
    each(x, [&](std::size_t b, std::size_t j) {
      const auto dn = [&](std::size_t k) { return dy(b, k) * (mistake == without_gain ? 1 : value(gain)(0, k)); };
      const double through_mean = mean(dn) * (mistake == mean_constant ? 0 : mistake == mean_twice ? 2 : 1);
      const double through_variance =
          mistake == variance_constant ? 0 : n(b, j) * mean([&](std::size_t k) { return dn(k) * n(b, k); });
      const double divisor = mistake == without_deviation ? 1 : s(b, 0);
      gradient(input)(b, j) += (dn(j) - through_mean - through_variance) / divisor;
      dgain(0, j) += dy(b, j) * (mistake == gain_from_x ? x : n)(b, j);
      if (mistake != bias_of_last_row || b + 1 == x.rows) dbias(0, j) += dy(b, j);
    });
  }, input, gain, bias);
}

GradientReport check(NormMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto w, auto u, auto gain, auto bias) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var a = contract<In>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      h = tanh(normalised(mistake, a, gain, bias));
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Hidden>("W", seed), drawn<From<Hidden>, Hidden>("U", seed),
                         drawn<Hidden>("gain", seed), drawn<Hidden>("bias", seed));
}

}  // namespace

std::vector<Mutant> in_layer_norm() {
  using enum Mistake;
  const MutantsOf<NormMistake> mutant{"layer norm", check};
  return {
      mutant.right(),
      mutant("dx without the mean's term", {missing_term}, NormMistake::mean_constant),
      mutant("the mean's term is subtracted twice", {factor, missing_term}, NormMistake::mean_twice),
      mutant("dx without the variance's term", {missing_term}, NormMistake::variance_constant),
      mutant("dx without the gain", {derivative}, NormMistake::without_gain),
      mutant("dx is not divided by the deviation", {derivative, factor}, NormMistake::without_deviation),
      mutant("the gain's gradient from x in place of the normalised x", {other_value}, NormMistake::gain_from_x),
      mutant("the gradients of gain and bias are mixed up", {exchanged}, NormMistake::gain_and_bias),
      mutant("the bias gets the last row of the batch only", {not_reduced}, NormMistake::bias_of_last_row),
  };
}

}  // namespace hindsight::mutants
