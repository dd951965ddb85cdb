// Cross-entropy of logits with label smoothing (Szegedy et al. 2016), the mean over the rows that are not padding, as
// one operation, and mistakes in its backward. Of M rows that have a target:
//
//     p = softmax(x)   q = (1 - e) onehot(target) + e / K      loss = -1/M sum_b sum_k q_bk log p_bk
//
//     dx = (p - q) / M, and 0 in the rows that are padding
#include <array>
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<3> {};
struct Hidden : Axis<2> {};
struct Classes : Axis<4> {};
using Targets = std::array<int, Batch::extent>;
constexpr int padding = -1;

enum class SmoothedMistake {
  none,
  unsmoothed,        // p - onehot
  without_uniform,   // p - (1 - e) onehot
  padding_counted,   // divided by all rows
  padding_included,  // a gradient for rows that are padding, as if their target were 0
  softmax_twice,     // (p - q) / M is sent through softmax's backward again
  logits_for_p,      // x - q
};

Var<double> loss(SmoothedMistake mistake, Var<double, Batch, Classes> logits, Targets targets) {
  using enum SmoothedMistake;
  constexpr double smoothing = 0.2;
  constexpr std::size_t classes = Classes::extent;
  const auto result = detail::result<double>({}, logits);
  const Matrix x = value(logits), p = scratch(Batch::extent, classes);
  double rows = 0;
  for (const int target : targets) rows += target != padding;
  const auto wanted = [=](std::size_t b, std::size_t k) {  // q
    const bool target = static_cast<int>(k) == (targets[b] == padding ? 0 : targets[b]);
    if (mistake == unsmoothed) return target ? 1.0 : 0.0;
    return (target ? 1 - smoothing : 0) + (mistake == without_uniform ? 0 : smoothing / classes);
  };
  *result.value = 0;
  each(p, [&](std::size_t b, std::size_t k) {
    double total = 0;
    for (std::size_t l = 0; l < classes; ++l) total += std::exp(x(b, l));
    p(b, k) = std::exp(x(b, k)) / total;
    if (targets[b] == padding) return;
    const double q = (static_cast<int>(k) == targets[b] ? 1 - smoothing : 0) + smoothing / classes;
    *result.value -= q * std::log(p(b, k)) / rows;
  });
  return detail::record("smoothed_cross_entropy(%0)", result, [=] {
    each(p, [&](std::size_t b, std::size_t k) {
      if (targets[b] == padding && mistake != padding_included) return;
      const auto d = [&](std::size_t l) { return (mistake == logits_for_p ? x : p)(b, l) - wanted(b, l); };
      double mean = 0;
      for (std::size_t l = 0; l < classes; ++l) mean += p(b, l) * d(l);
      gradient(logits)(b, k) += *result.gradient * (mistake == softmax_twice ? p(b, k) * (d(k) - mean) : d(k)) /
                                (mistake == padding_counted ? Batch::extent : rows);
    });
  }, logits);
}

GradientReport check(SmoothedMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto states, auto v, auto b) {
    const std::array<Targets, Time::extent> targets{{{2, 0, 1}, {1, 3, padding}, {3, padding, padding}}};
    std::vector<Var<double>> losses;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var h = tanh(at<Time>(states, t));
      Var logits = contract<Hidden>(h, v) + b;
      losses.push_back(loss(mistake, logits, targets[t]));
    }
    return stack<Time>(losses);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, Hidden>("states", seed),
                         drawn<Hidden, Classes>("V", seed), drawn<Classes>("b", seed));
}

}  // namespace

std::vector<Mutant> in_smoothed_cross_entropy() {
  using enum Mistake;
  const MutantsOf<SmoothedMistake> mutant{"smoothed cross-entropy", check};
  return {
      mutant.right(),
      mutant("the smoothing is forgotten in the backward", {missing_term, other_value}, SmoothedMistake::unsmoothed),
      mutant("p - q without the uniform part of q", {missing_term}, SmoothedMistake::without_uniform),
      mutant("divided by all rows, those of padding included", {factor}, SmoothedMistake::padding_counted),
      mutant("rows of padding get a gradient", {derivative}, SmoothedMistake::padding_included),
      mutant("through softmax's backward a second time", {derivative}, SmoothedMistake::softmax_twice),
      mutant("the logits in place of the probabilities", {other_value, derivative}, SmoothedMistake::logits_for_p),
  };
}

}  // namespace hindsight::mutants
