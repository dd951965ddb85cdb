// The mean squared error as one operation, and mistakes in its backward. The target t has a gradient too: it is what
// another net says. N is the number of elements:
//
//     loss = 1/N sum (y - t)^2          dy = 2 (y - t) / N      dt = -dy
#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<4> {};
struct Out : Axis<3> {};

enum class SquaredMistake {
  none,
  without_two,         // (y - t) / N
  mean_of_batch,       // divided by the batch, not by N
  target_not_negated,  // dt = dy
  target_detached,     // dt = 0
  without_target,      // 2 y / N
  of_absolute_value,   // the sign of y - t
};

Var<double> loss(SquaredMistake mistake, Var<double, Batch, Out> y, Var<double, Batch, Out> t) {
  using enum SquaredMistake;
  constexpr double elements = Batch::extent * Out::extent;
  const auto result = detail::result<double>({}, y, t);
  const auto off = [=](std::size_t b, std::size_t j) { return value(y)(b, j) - value(t)(b, j); };
  *result.value = 0;
  each(value(y), [&](std::size_t b, std::size_t j) { *result.value += off(b, j) * off(b, j) / elements; });
  return detail::record("squared_error(%0, %1)", result, [=] {
    each(value(y), [&](std::size_t b, std::size_t j) {
      const double slope = mistake == without_target      ? 2 * value(y)(b, j)
                           : mistake == without_two       ? off(b, j)
                           : mistake == of_absolute_value ? (off(b, j) > 0 ? 1 : -1)
                                                          : 2 * off(b, j);
      const double d = *result.gradient * slope / (mistake == mean_of_batch ? Batch::extent : elements);
      gradient(y)(b, j) += d;
      if (mistake != target_detached) gradient(t)(b, j) += mistake == target_not_negated ? d : -d;
    });
  }, y, t);
}

GradientReport check(SquaredMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto states, auto v, auto other) {
    std::vector<Var<double>> losses;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var h = tanh(at<Time>(states, t));
      Var y = contract<Hidden>(h, v);
      Var target = sigmoid(contract<Hidden>(h, other));
      losses.push_back(loss(mistake, y, target));
    }
    return stack<Time>(losses);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, Hidden>("states", seed),
                         drawn<Hidden, Out>("V", seed), drawn<Hidden, Out>("W", seed));
}

}  // namespace

std::vector<Mutant> in_squared_error() {
  using enum Mistake;
  const MutantsOf<SquaredMistake> mutant{"squared error", check};
  return {
      mutant.right(),
      mutant("the 2 is forgotten", {factor}, SquaredMistake::without_two),
      mutant("divided by the batch alone", {factor}, SquaredMistake::mean_of_batch),
      mutant("the target's gradient is not negated", {sign}, SquaredMistake::target_not_negated),
      mutant("the target is detached", {cut_off}, SquaredMistake::target_detached),
      mutant("y in place of y - t", {missing_term, other_value}, SquaredMistake::without_target),
      mutant("the sign of y - t, as of an absolute error", {derivative}, SquaredMistake::of_absolute_value),
  };
}

}  // namespace hindsight::mutants
