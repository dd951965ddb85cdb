// Softmax with a temperature, over the last axis, as one operation, and mistakes in its backward. It weighs experts.
//
//     y_i = exp(x_i / T) / sum_k exp(x_k / T)          dx_i = y_i (dy_i - sum_k y_k dy_k) / T
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<3> {};
struct Expert : Axis<4> {};
constexpr double temperature = 0.7;

enum class SoftmaxMistake {
  none,
  without_temperature,    // not / T
  without_own,            // -y_i sum / T
  turned_round,           // y_i (sum - dy_i) / T
  parentheses_forgotten,  // (y_i dy_i - sum) / T
  not_normalised,         // exp(x_i / T) in place of the y_i in front
};

Var<double, Batch, Expert> weights(SoftmaxMistake mistake, Var<double, Batch, Expert> logits) {
  using enum SoftmaxMistake;
  const auto result = detail::result<double, Batch, Expert>(logits.extents, logits);
  const Matrix x = value(logits), y = value(result);
  for (std::size_t b = 0; b < y.rows; ++b) {
    double total = 0;
    for (std::size_t i = 0; i < y.columns; ++i) total += std::exp(x(b, i) / temperature);
    for (std::size_t i = 0; i < y.columns; ++i) y(b, i) = std::exp(x(b, i) / temperature) / total;
  }
  return detail::record("softmax_at_temperature(%0)", result, [=] {
    const Matrix dy = gradient(result), dx = gradient(logits);
    const double scale = mistake == without_temperature ? 1 : 1 / temperature;
    each(y, [&](std::size_t b, std::size_t i) {
      double sum = 0;
      for (std::size_t k = 0; k < y.columns; ++k) sum += y(b, k) * dy(b, k);
      const double in_front = mistake == not_normalised ? std::exp(x(b, i) / temperature) : y(b, i);
      const double own = mistake == without_own ? 0 : dy(b, i);
      dx(b, i) += scale * (mistake == turned_round            ? in_front * (sum - own)
                           : mistake == parentheses_forgotten ? in_front * own - sum
                                                              : in_front * (own - sum));
    });
  }, logits);
}

GradientReport check(SoftmaxMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto router, auto experts) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var logits = contract<Hidden>(h, router);
      h = contract<Expert>(weights(mistake, logits), experts);
      h = tanh(h + at<Time>(xs, t));
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, Hidden>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<Hidden, Expert>("R", seed), drawn<Expert, Hidden>("E", seed));
}

}  // namespace

std::vector<Mutant> unseen_in_softmax() {
  using enum Mistake;
  const MutantsOf<SoftmaxMistake> mutant{"softmax with a temperature", check};
  return {
      mutant.right(),
      mutant("1 / T is forgotten in the backward", {factor}, SoftmaxMistake::without_temperature),
      mutant("the sum alone, without dy", {missing_term}, SoftmaxMistake::without_own),
      mutant("the sum minus dy, the wrong way round", {sign}, SoftmaxMistake::turned_round),
      mutant("the parentheses are forgotten, so the sum has no y in front", {derivative, missing_term},
             SoftmaxMistake::parentheses_forgotten),
      mutant("exp(x / T), not normalised, in place of y", {derivative, other_value}, SoftmaxMistake::not_normalised),
  };
}

}  // namespace hindsight::mutants
