// Cross-entropy of logits, the mean over the batch, as one operation, and mistakes in its backward.
//
//     p = softmax(x)      loss = -1/B sum_b log p_{b, target_b}      dx = (p - onehot(target)) / B
#include <array>
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<5> {};
struct Classes : Axis<4> {};
using Targets = std::array<std::size_t, Batch::extent>;

enum class CrossEntropyMistake {
  none,
  none_at_large_logits,
  exp_overflows,        // exp(x) / sum exp(x), and x is large
  sign,                 // onehot - p
  mean_forgotten,       // p - onehot
  mean_twice,           // / B^2
  without_target,       // p / B
  target_of_other_row,  // the targets are one sequence off
  in_float,             // exp(float(x) - float(log sum exp(x)))
};

/// p = exp(x) / sum_k exp(x_k).
double probability(CrossEntropyMistake mistake, double x, double log_total) {
  switch (mistake) {
    case CrossEntropyMistake::exp_overflows: return std::exp(x) / std::exp(log_total);
    case CrossEntropyMistake::in_float: return std::exp(static_cast<float>(x) - static_cast<float>(log_total));
    default: return std::exp(x - log_total);
  }
}

Var<double> loss(CrossEntropyMistake mistake, Var<double, Batch, Classes> logits, Targets targets) {
  using enum CrossEntropyMistake;
  const auto result = detail::result<double>({}, logits);
  const Matrix x = value(logits), log_total = scratch(Batch::extent, 1);
  for (std::size_t b = 0; b < x.rows; ++b) {
    double largest = x(b, 0), total = 0;
    for (std::size_t k = 1; k < x.columns; ++k) largest = std::max(largest, x(b, k));
    for (std::size_t k = 0; k < x.columns; ++k) total += std::exp(x(b, k) - largest);
    log_total(b, 0) = largest + std::log(total);
  }
  *result.value = 0;
  for (std::size_t b = 0; b < x.rows; ++b) *result.value += (log_total(b, 0) - x(b, targets[b])) / Batch::extent;

  return detail::record("my_cross_entropy(%0)", result, [=] {
    const double batch = Batch::extent;
    const double count = mistake == mean_forgotten ? 1 : mistake == mean_twice ? batch * batch : batch;
    each(x, [&](std::size_t b, std::size_t k) {
      const double p = probability(mistake, x(b, k), log_total(b, 0));
      const std::size_t target = targets[mistake == target_of_other_row ? (b + 1) % Batch::extent : b];
      const double slope = p - (k == target && mistake != without_target ? 1 : 0);
      gradient(logits)(b, k) += *result.gradient * (mistake == sign ? -slope : slope) / count;
    });
  }, logits);
}

GradientReport check(CrossEntropyMistake mistake, std::uint64_t seed) {
  using enum CrossEntropyMistake;
  // The loss does not change when all logits are larger; exp(x) does.
  const double more = mistake == in_float ? 20 : mistake == exp_overflows || mistake == none_at_large_logits ? 800 : 0;
  const auto f = [mistake, more](auto xs, auto h, auto w, auto u, auto v, auto b) {
    const std::array<Targets, Time::extent> targets{{{2, 0}, {1, 3}, {3, 2}}};
    std::vector<Var<double>> losses;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var a = contract<In>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      h = tanh(a);
      Var logits = contract<Hidden>(h, v) + b;
      losses.push_back(loss(mistake, logits + more, targets[t]));
    }
    return stack<Time>(losses);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Hidden>("W", seed), drawn<From<Hidden>, Hidden>("U", seed),
                         drawn<Hidden, Classes>("V", seed), drawn<Classes>("b", seed));
}

}  // namespace

std::vector<Mutant> in_cross_entropy() {
  using enum Mistake;
  const MutantsOf<CrossEntropyMistake> mutant{"cross-entropy", check};
  return {
      mutant.right(),
      mutant("as it should be, of large logits", {}, CrossEntropyMistake::none_at_large_logits),
      mutant("exp(x) overflows in the backward", {nan}, CrossEntropyMistake::exp_overflows),
      mutant("onehot - p, the wrong way round", {sign}, CrossEntropyMistake::sign),
      mutant("the mean over the batch is forgotten in the backward", {factor}, CrossEntropyMistake::mean_forgotten),
      mutant("divided by the batch twice", {factor}, CrossEntropyMistake::mean_twice),
      mutant("p without the target's 1", {missing_term}, CrossEntropyMistake::without_target),
      mutant("the target of the next row of the batch", {step_off, other_value},
             CrossEntropyMistake::target_of_other_row),
      mutant("p is computed in float", {float_precision}, CrossEntropyMistake::in_float),
  };
}

}  // namespace hindsight::mutants
