// Softmax over the source as one operation, and mistakes in its backward.
//
//     y_i = exp(x_i) / sum_k exp(x_k)          dx_i = y_i (dy_i - sum_k y_k dy_k)
//
// The sum is what the elements have to do with each other, and what is forgotten.
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Target : Axis<3> {};
struct Source : Axis<4> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<5> {};

enum class SoftmaxMistake {
  none,
  without_sum,    // y dy
  diagonal_only,  // y (1 - y) dy, as of a sigmoid
  sum_added,      // y (dy + sum)
  mean_for_sum,   // y (dy - sum / n)
  sum_of_logits,  // sum_k x_k dy_k
};

Var<double, Source, Batch> normalised(SoftmaxMistake mistake, Var<double, Source, Batch> logits) {
  using enum SoftmaxMistake;
  const auto result = detail::result<double, Source, Batch>(logits.extents, logits);
  const Matrix x = value(logits), y = value(result);
  const auto over_source = [](auto f) {
    double total = 0;
    for (std::size_t i = 0; i < Source::extent; ++i) total += f(i);
    return total;
  };
  each(y, [&](std::size_t i, std::size_t b) {
    y(i, b) = std::exp(x(i, b)) / over_source([&](std::size_t k) { return std::exp(x(k, b)); });
  });
  return detail::record("my_softmax(%0)", result, [=] {
    const Matrix dy = gradient(result);
    each(y, [&](std::size_t i, std::size_t b) {
      const Matrix& weights = mistake == sum_of_logits ? x : y;
      const double sum = over_source([&](std::size_t k) { return weights(k, b) * dy(k, b); });
      const double taken = mistake == without_sum     ? 0
                           : mistake == diagonal_only ? y(i, b) * dy(i, b)
                           : mistake == sum_added     ? -sum
                           : mistake == mean_for_sum  ? sum / Source::extent
                                                      : sum;
      gradient(logits)(i, b) += y(i, b) * (dy(i, b) - taken);
    });
  }, logits);
}

GradientReport check(SoftmaxMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto states, auto context, auto memory) {
    std::vector<Var<double, Batch, Hidden>> contexts;
    for (std::size_t t = 0; t < Target::extent; ++t) {
      Var query = tanh(at<Target>(states, t) + context);
      Var e = contract<Hidden>(memory, query);
      context = contract<Source>(normalised(mistake, e), memory);
      contexts.push_back(context);
    }
    return stack<Target>(contexts);
  };
  return check_gradients({.seed = seed}, f, drawn<Target, Batch, Hidden>("states", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<Source, Batch, Hidden>("memory", seed));
}

}  // namespace

std::vector<Mutant> in_softmax() {
  using enum Mistake;
  const MutantsOf<SoftmaxMistake> mutant{"softmax", check};
  return {
      mutant.right(),
      mutant("y dy without the sum", {missing_term}, SoftmaxMistake::without_sum),
      mutant("the diagonal y (1 - y) only", {missing_term, derivative}, SoftmaxMistake::diagonal_only),
      mutant("the sum is added, not subtracted", {sign, missing_term}, SoftmaxMistake::sum_added),
      mutant("a mean in place of the sum", {factor, missing_term}, SoftmaxMistake::mean_for_sum),
      mutant("the sum with the logits in place of the weights", {other_value}, SoftmaxMistake::sum_of_logits),
  };
}

}  // namespace hindsight::mutants
