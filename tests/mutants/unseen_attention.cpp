// Causal self-attention of a sequence as one operation, and mistakes in its backward. In are the queries Q, keys K and
// values V, a row for each step; out is C. Step t sees the steps i <= t.
//
//     E = Q K^T / sqrt(D)     A = softmax of E's rows, where i <= t     C = A V
//
//     dA = dC V^T             dE_ti = A_ti (dA_ti - sum_k A_tk dA_tk)
//     dQ = dE K / sqrt(D)     dK = dE^T Q / sqrt(D)                     dV = A^T dC
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {
namespace {

struct Batch : Axis<2> {};
struct Time : Axis<4> {};
struct Hidden : Axis<3> {};
struct Key : Axis<2> {};

enum class AttentionMistake {
  none,
  keys_unscaled,          // dK without 1 / sqrt(D)
  keys_from_keys,         // dK = dE^T K / sqrt(D)
  values_not_transposed,  // dV = A dC
  softmax_forgotten,      // dE = dA, where i <= t
  values_assigned,        // dV =, where the values are used again
  future_seen,            // exp(E_ti) / total, for i > t as well
};

Var<double, Batch, Time, Hidden> attention(AttentionMistake mistake, Var<double, Batch, Time, Key> queries,
                                           Var<double, Batch, Time, Key> keys,
                                           Var<double, Batch, Time, Hidden> values) {
  using enum AttentionMistake;
  constexpr std::size_t steps = Time::extent;
  const double scale = 1 / std::sqrt(static_cast<double>(Key::extent));
  const auto result = detail::result<double, Batch, Time, Hidden>(values.extents, queries, keys, values);
  const auto of = [](auto whole, std::size_t b) { return at<Batch>(whole, b); };
  const Matrix scores = scratch(steps, steps), total = scratch(Batch::extent, steps);
  const Matrix weights = scratch(steps, steps), dweights = scratch(steps, steps), dscores = scratch(steps, steps);

  const auto weigh = [=](std::size_t b, bool future) {
    clear(scores);
    add_product(value(of(queries, b)), value(of(keys, b)).transposed(), scores);
    each(weights, [&](std::size_t t, std::size_t i) {
      weights(t, i) = i <= t || future ? std::exp(scale * scores(t, i)) : 0;
    });
  };
  clear(total);
  for (std::size_t b = 0; b < Batch::extent; ++b) {
    weigh(b, false);
    each(weights, [&](std::size_t t, std::size_t i) { total(b, t) += weights(t, i); });
    each(weights, [&](std::size_t t, std::size_t i) { weights(t, i) /= total(b, t); });
    clear(value(of(result, b)));
    add_product(weights, value(of(values, b)), value(of(result, b)));
  }

  return detail::record("causal_attention(%0, %1, %2)", result, [=] {
    for (std::size_t b = 0; b < Batch::extent; ++b) {
      const Matrix q = value(of(queries, b)), k = value(of(keys, b)), v = value(of(values, b));
      const Matrix dc = gradient(of(result, b)), dv = gradient(of(values, b)), dk = gradient(of(keys, b));
      weigh(b, mistake == future_seen);
      each(weights, [&](std::size_t t, std::size_t i) { weights(t, i) /= total(b, t); });
      clear(dweights);
      add_product(dc, v.transposed(), dweights);
      each(dscores, [&](std::size_t t, std::size_t i) {
        double sum = 0;
        for (std::size_t j = 0; j < steps; ++j) sum += weights(t, j) * dweights(t, j);
        const double a = weights(t, i), da = dweights(t, i);
        dscores(t, i) = scale * (mistake != softmax_forgotten ? a * (da - sum) : i <= t ? da : 0);
      });

      add_product(dscores, k, gradient(of(queries, b)));
      if (mistake == keys_unscaled) each(dscores, [&](std::size_t t, std::size_t i) { dscores(t, i) /= scale; });
      add_product(dscores.transposed(), mistake == keys_from_keys ? k : q, dk);
      if (mistake == values_assigned) clear(dv);
      add_product(mistake == values_not_transposed ? weights : weights.transposed(), dc, dv);
    }
  }, queries, keys, values);
}

GradientReport check(AttentionMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto w_q, auto w_k, auto w_v) {
    Var keys = contract<Hidden>(xs, w_k);
    Var values = contract<From<Hidden>>(rename<Hidden, From<Hidden>>(xs), w_v);
    Var h = tanh(xs);
    for (int layer = 0; layer < 2; ++layer) {  // both with the same keys and values
      Var queries = contract<Hidden>(h, w_q);
      h = tanh(xs + attention(mistake, queries, keys, values));
    }
    return h;
  };
  return check_gradients({.seed = seed}, f, drawn<Batch, Time, Hidden>("xs", seed), drawn<Hidden, Key>("W_q", seed),
                         drawn<Hidden, Key>("W_k", seed), drawn<From<Hidden>, Hidden>("W_v", seed));
}

}  // namespace

std::vector<Mutant> unseen_in_attention() {
  using enum Mistake;
  const MutantsOf<AttentionMistake> mutant{"causal attention", check};
  return {
      mutant.right(),
      mutant("1 / sqrt(D) is forgotten for the keys", {factor}, AttentionMistake::keys_unscaled),
      mutant("the keys' gradient from the keys in place of the queries", {other_value},
             AttentionMistake::keys_from_keys),
      mutant("the values' gradient with A in place of A^T", {transposed}, AttentionMistake::values_not_transposed),
      mutant("softmax's backward is forgotten", {derivative, missing_term}, AttentionMistake::softmax_forgotten),
      mutant("the values' gradient is assigned, not added", {overwritten}, AttentionMistake::values_assigned),
      mutant("the mask is left out in the backward", {derivative, other_value}, AttentionMistake::future_seen),
  };
}

}  // namespace hindsight::mutants
