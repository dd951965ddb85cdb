// Log softmax over the classes, which come first here, as one operation, and mistakes in its backward.
//
//     y_k = x_k - log sum_l exp(x_l)          dx_k = dy_k - p_k sum_l dy_l,   p = exp(y)
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<3> {};
struct Classes : Axis<4> {};

enum class LogSoftmaxMistake {
  none,
  none_at_large_logits,
  without_sum,     // dx = dy - p dy
  without_exp,     // y_k for p_k
  without_p,       // dx = dy - sum dy
  as_softmax,      // p_k (dy_k - sum_l p_l dy_l)
  constant_total,  // dx = dy, as if the log of the sum were a constant
  sum_added,       // dx = dy + p sum dy
  in_float,        // p = exp(float(x) - float(log sum exp(x)))
};

Var<double, Classes, Batch> normalised(LogSoftmaxMistake mistake, Var<double, Classes, Batch> logits) {
  using enum LogSoftmaxMistake;
  const auto result = detail::result<double, Classes, Batch>(logits.extents, logits);
  const Matrix x = value(logits), y = value(result), log_total = scratch(1, Batch::extent);
  for (std::size_t n = 0; n < Batch::extent; ++n) {
    double total = 0;
    for (std::size_t k = 0; k < Classes::extent; ++k) total += std::exp(x(k, n) - x(0, n));
    log_total(0, n) = x(0, n) + std::log(total);
  }
  each(y, [&](std::size_t k, std::size_t n) { y(k, n) = x(k, n) - log_total(0, n); });
  return detail::record("my_log_softmax(%0)", result, [=] {
    const Matrix dy = gradient(result);
    each(y, [&](std::size_t k, std::size_t n) {
      const double p = mistake == without_exp ? y(k, n)
                       : mistake == without_p ? 1
                       : mistake == in_float
                           ? std::exp(static_cast<float>(x(k, n)) - static_cast<float>(log_total(0, n)))
                           : std::exp(y(k, n));
      double sum = 0, weighted = 0;
      for (std::size_t l = 0; l < Classes::extent; ++l) {
        sum += dy(l, n);
        weighted += std::exp(y(l, n)) * dy(l, n);
      }
      const double taken = mistake == without_sum        ? dy(k, n)
                           : mistake == constant_total ? 0
                           : mistake == sum_added        ? -sum
                                                         : sum;
      gradient(logits)(k, n) += mistake == as_softmax ? p * (dy(k, n) - weighted) : dy(k, n) - p * taken;
    });
  }, logits);
}

GradientReport check(LogSoftmaxMistake mistake, std::uint64_t seed) {
  using enum LogSoftmaxMistake;
  // The result does not change when all logits are larger; what float keeps of them does.
  const double more = mistake == in_float || mistake == none_at_large_logits ? 20 : 0;
  const auto f = [mistake, more](auto states, auto v) {
    std::vector<Var<double, Classes, Batch>> ys;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var h = tanh(at<Time>(states, t));
      Var logits = contract<Hidden>(v, h) + more;
      ys.push_back(normalised(mistake, logits));
    }
    return stack<Time>(ys);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, Hidden>("states", seed),
                         drawn<Classes, Hidden>("V", seed));
}

}  // namespace

std::vector<Mutant> in_log_softmax() {
  using enum Mistake;
  const MutantsOf<LogSoftmaxMistake> mutant{"log softmax", check};
  return {
      mutant.right(),
      mutant("as it should be, of large logits", {}, LogSoftmaxMistake::none_at_large_logits),
      mutant("each class with its own dy in place of the sum", {missing_term}, LogSoftmaxMistake::without_sum),
      mutant("the log probability in place of the probability", {other_value, derivative},
             LogSoftmaxMistake::without_exp),
      mutant("the sum of dy without the probability", {derivative, missing_term}, LogSoftmaxMistake::without_p),
      mutant("the backward of softmax", {derivative}, LogSoftmaxMistake::as_softmax),
      mutant("the log of the sum taken for a constant", {missing_term}, LogSoftmaxMistake::constant_total),
      mutant("the sum is added, not subtracted", {sign, missing_term}, LogSoftmaxMistake::sum_added),
      mutant("p is computed in float", {float_precision}, LogSoftmaxMistake::in_float),
  };
}

}  // namespace hindsight::mutants
