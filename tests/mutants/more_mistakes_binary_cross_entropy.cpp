// Binary cross-entropy of logits with a weight w for what is true, the mean over all elements, as one operation, and
// mistakes in its backward. t is 0 or 1, N the number of elements:
//
//     s = sigmoid(x)      loss = -1/N sum (w t log s + (1 - t) log(1 - s))
//
//     dx = ((1 - t) s - w t (1 - s)) / N
#include <algorithm>
#include <array>
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<2> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<4> {};
struct Classes : Axis<3> {};
using Targets = std::array<std::array<double, Classes::extent>, Batch::extent>;

enum class BinaryMistake {
  none,
  none_at_large_logits,
  exp_overflows,       // s = exp(x) / (1 + exp(x)), and x is large
  sign,                // the wrong way round
  sigmoid_again,       // times s (1 - s), as of a squared error
  logits_for_sigmoid,  // x for s
  weight_forgotten,    // w = 1
  mean_of_batch,       // divided by the batch, not by N
  true_alone,          // 0 where t = 0
};

/// log(1 + exp(x)).
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

Var<double> loss(BinaryMistake mistake, Var<double, Batch, Classes> logits, Targets targets) {
  using enum BinaryMistake;
  constexpr double weight = 3, elements = Batch::extent * Classes::extent;
  const auto result = detail::result<double>({}, logits);
  const Matrix x = value(logits);
  *result.value = 0;
  each(x, [&](std::size_t b, std::size_t k) {
    const double t = targets[b][k];
    *result.value += (weight * t * softplus(-x(b, k)) + (1 - t) * softplus(x(b, k))) / elements;
  });
  return detail::record("binary_cross_entropy(%0)", result, [=] {
    each(x, [&](std::size_t b, std::size_t k) {
      const double t = targets[b][k];
      const double s = mistake == exp_overflows        ? std::exp(x(b, k)) / (1 + std::exp(x(b, k)))
                       : mistake == logits_for_sigmoid ? x(b, k)
                                                       : 1 / (1 + std::exp(-x(b, k)));
      if (mistake == true_alone && t == 0) return;
      const double slope = (1 - t) * s - (mistake == weight_forgotten ? 1 : weight) * t * (1 - s);
      const double other = mistake == sigmoid_again ? s * (1 - s) : mistake == sign ? -1 : 1;
      const double count = mistake == mean_of_batch ? Batch::extent : elements;
      gradient(logits)(b, k) += *result.gradient * slope * other / count;
    });
  }, logits);
}

GradientReport check(BinaryMistake mistake, std::uint64_t seed) {
  using enum BinaryMistake;
  const double more = mistake == exp_overflows || mistake == none_at_large_logits ? 720 : 0;
  const auto f = [mistake, more](auto states, auto v, auto b) {
    const std::array<Targets, Time::extent> targets{{{{{0, 1, 0}, {1, 0, 0}}}, {{{0, 0, 1}, {1, 1, 0}}}}};
    std::vector<Var<double>> losses;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var h = tanh(at<Time>(states, t));
      Var logits = contract<Hidden>(h, v) + b;
      losses.push_back(loss(mistake, logits + more, targets[t]));
    }
    return stack<Time>(losses);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, Hidden>("states", seed),
                         drawn<Hidden, Classes>("V", seed), drawn<Classes>("b", seed));
}

}  // namespace

std::vector<Mutant> in_binary_cross_entropy() {
  using enum Mistake;
  const MutantsOf<BinaryMistake> mutant{"binary cross-entropy", check};
  return {
      mutant.right(),
      mutant("as it should be, of large logits", {}, BinaryMistake::none_at_large_logits),
      mutant("exp(x) overflows in the backward", {nan}, BinaryMistake::exp_overflows),
      mutant("t - s, the wrong way round", {Mistake::sign}, BinaryMistake::sign),
      mutant("times s (1 - s), which has cancelled", {derivative}, BinaryMistake::sigmoid_again),
      mutant("the logits in place of their sigmoid", {other_value, derivative}, BinaryMistake::logits_for_sigmoid),
      mutant("the weight of what is true is forgotten in the backward", {factor, derivative},
             BinaryMistake::weight_forgotten),
      mutant("divided by the batch alone", {factor}, BinaryMistake::mean_of_batch),
      mutant("nothing where the target is 0", {cut_off, missing_term}, BinaryMistake::true_alone),
  };
}

}  // namespace hindsight::mutants
