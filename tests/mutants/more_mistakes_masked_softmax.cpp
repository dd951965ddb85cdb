// Softmax with a temperature over the first positions of a sentence as one operation, and mistakes in its backward. A
// sentence has a length; the weights of the positions after it are 0.
//
//     y_i = exp(x_i / T) / sum_{k < length} exp(x_k / T)      dx_i = y_i (dy_i - sum_{k < length} y_k dy_k) / T
#include <array>
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Target : Axis<3> {};
struct Source : Axis<4> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<3> {};

enum class MaskedMistake {
  none,
  without_temperature,  // not divided by T
  multiplied,           // times T in place of divided by it
  one_too_short,        // the gradient of the last position of a sentence is masked too
  padded_in_front,      // the first positions are masked in the backward
  without_sum,          // y dy
  other_row,            // the sum of the other sentence
};

Var<double, Source, Batch> normalised(MaskedMistake mistake, Var<double, Source, Batch> logits,
                                      std::array<std::size_t, Batch::extent> lengths) {
  using enum MaskedMistake;
  constexpr double temperature = 0.6;
  const auto result = detail::result<double, Source, Batch>(logits.extents, logits);
  const Matrix x = value(logits), y = value(result);
  each(y, [&](std::size_t i, std::size_t n) {
    double total = 0;
    for (std::size_t k = 0; k < lengths[n]; ++k) total += std::exp(x(k, n) / temperature);
    y(i, n) = i < lengths[n] ? std::exp(x(i, n) / temperature) / total : 0;
  });
  return detail::record("masked_softmax(%0)", result, [=] {
    const Matrix dy = gradient(result);
    const double scale = mistake == without_temperature ? 1 : mistake == multiplied ? temperature : 1 / temperature;
    each(y, [&](std::size_t i, std::size_t n) {
      const std::size_t padding = Source::extent - lengths[n];
      if (mistake == one_too_short && i + 1 == lengths[n]) return;
      if (mistake == padded_in_front && i < padding) return;
      const std::size_t row = mistake == other_row ? (n + 1) % Batch::extent : n;
      double sum = 0;
      for (std::size_t k = 0; k < Source::extent; ++k) sum += y(k, row) * dy(k, row);
      gradient(logits)(i, n) += scale * y(i, n) * (dy(i, n) - (mistake == without_sum ? 0 : sum));
    });
  }, logits);
}

GradientReport check(MaskedMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto states, auto context, auto memory) {
    std::vector<Var<double, Batch, Hidden>> contexts;
    for (std::size_t t = 0; t < Target::extent; ++t) {
      Var query = tanh(at<Target>(states, t) + context);
      Var e = contract<Hidden>(memory, query);
      context = contract<Source>(normalised(mistake, e, {3, 2}), memory);
      contexts.push_back(context);
    }
    return stack<Target>(contexts);
  };
  return check_gradients({.seed = seed}, f, drawn<Target, Batch, Hidden>("states", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<Source, Batch, Hidden>("memory", seed));
}

}  // namespace

std::vector<Mutant> in_masked_softmax() {
  using enum Mistake;
  const MutantsOf<MaskedMistake> mutant{"masked softmax", check};
  return {
      mutant.right(),
      mutant("1 / T is forgotten in the backward", {factor}, MaskedMistake::without_temperature),
      mutant("times T in place of divided by it", {factor}, MaskedMistake::multiplied),
      mutant("the last position is masked in the backward", {cut_off}, MaskedMistake::one_too_short),
      mutant("the first positions are masked in the backward, as if the padding were in front", {cut_off},
             MaskedMistake::padded_in_front),
      mutant("y dy without the sum", {missing_term}, MaskedMistake::without_sum),
      mutant("the sum of the other sentence", {step_off, other_value}, MaskedMistake::other_row),
  };
}

}  // namespace hindsight::mutants
