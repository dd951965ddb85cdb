// Multiplicative attention with keys and values of their own as one operation, and mistakes in its backward. In are the
// query q, the keys k_i and the values v_i; out is the context.
//
//     e_i = q . k_i      alpha = softmax(e)      c = sum_i alpha_i v_i
//
//     dalpha_i = dc . v_i      de_i = alpha_i (dalpha_i - sum_l alpha_l dalpha_l)
//     dq = sum_i de_i k_i      dk_i = de_i q      dv_i = alpha_i dc
#include <cmath>
#include <utility>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Target : Axis<3> {};
struct Source : Axis<4> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<3> {};

enum class KeyValueMistake {
  none,
  weights_from_keys,   // dalpha_i = dc . k_i
  query_from_values,   // dq = sum_i de_i v_i
  values_by_scores,    // dv_i = e_i dc, before the softmax
  past_the_softmax,    // de = dalpha
  keys_and_values,     // dk and dv exchanged
  values_overwritten,  // dv =, where more steps are to come
  query_averaged,      // dq is a mean over i
};

using Memory = Var<double, Source, Batch, Hidden>;

double dot(const Matrix& a, const Matrix& b, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < a.columns; ++j) sum += a(n, j) * b(n, j);
  return sum;
}

Var<double, Batch, Hidden> attention(KeyValueMistake mistake, Var<double, Batch, Hidden> query, Memory keys,
                                     Memory values) {
  using enum KeyValueMistake;
  constexpr std::size_t positions = Source::extent;
  const auto context = detail::result<double, Batch, Hidden>(query.extents, query, keys, values);
  const Matrix alpha = scratch(positions, Batch::extent), e = scratch(positions, Batch::extent);
  const auto k = [=](std::size_t i) { return value(at<Source>(keys, i)); };
  const auto v = [=](std::size_t i) { return value(at<Source>(values, i)); };
  each(e, [&](std::size_t i, std::size_t n) { e(i, n) = dot(value(query), k(i), n); });
  each(alpha, [&](std::size_t i, std::size_t n) {
    double total = 0;
    for (std::size_t l = 0; l < positions; ++l) total += std::exp(e(l, n));
    alpha(i, n) = std::exp(e(i, n)) / total;
  });
  clear(value(context));
  for (std::size_t i = 0; i < positions; ++i)
    each(v(i), [&](std::size_t n, std::size_t j) { value(context)(n, j) += alpha(i, n) * v(i)(n, j); });

  return detail::record("attention(%0, %1, %2)", context, [=] {
    const Matrix dc = gradient(context);
    Memory for_keys = keys, for_values = values;
    if (mistake == keys_and_values) std::swap(for_keys, for_values);
    each(alpha, [&](std::size_t i, std::size_t n) {
      const auto d_alpha = [&](std::size_t l) { return dot(dc, mistake == weights_from_keys ? k(l) : v(l), n); };
      double mean = 0;
      for (std::size_t l = 0; l < positions; ++l) mean += alpha(l, n) * d_alpha(l);
      const double de = mistake == past_the_softmax ? d_alpha(i) : alpha(i, n) * (d_alpha(i) - mean);
      const double share = mistake == query_averaged ? 1.0 / positions : 1;
      const Matrix dk = gradient(at<Source>(for_keys, i)), dv = gradient(at<Source>(for_values, i));
      for (std::size_t j = 0; j < Hidden::extent; ++j) {
        if (mistake == values_overwritten) dv(n, j) = 0;
        gradient(query)(n, j) += share * de * (mistake == query_from_values ? v(i) : k(i))(n, j);
        dk(n, j) += de * value(query)(n, j);
        dv(n, j) += (mistake == values_by_scores ? e : alpha)(i, n) * dc(n, j);
      }
    });
  }, query, keys, values);
}

GradientReport check(KeyValueMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto states, auto context, auto keys, auto values) {
    std::vector<Var<double, Batch, Hidden>> contexts;
    for (std::size_t t = 0; t < Target::extent; ++t) {
      Var query = tanh(at<Target>(states, t) + context);
      context = attention(mistake, query, keys, values);
      contexts.push_back(context);
    }
    return stack<Target>(contexts);
  };
  return check_gradients({.seed = seed}, f, drawn<Target, Batch, Hidden>("states", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<Source, Batch, Hidden>("keys", seed),
                         drawn<Source, Batch, Hidden>("values", seed));
}

}  // namespace

std::vector<Mutant> in_key_value_attention() {
  using enum Mistake;
  const MutantsOf<KeyValueMistake> mutant{"attention with keys and values", check};
  return {
      mutant.right(),
      mutant("the weights' gradient from the keys in place of the values", {other_value},
             KeyValueMistake::weights_from_keys),
      mutant("the query's gradient from the values in place of the keys", {other_value},
             KeyValueMistake::query_from_values),
      mutant("the values' gradient by the scores in place of the weights", {other_value, derivative},
             KeyValueMistake::values_by_scores),
      mutant("past the softmax: de = dalpha", {derivative, missing_term}, KeyValueMistake::past_the_softmax),
      mutant("the gradients of keys and values are mixed up", {exchanged}, KeyValueMistake::keys_and_values),
      mutant("the values' gradient is assigned at each step, not added", {overwritten},
             KeyValueMistake::values_overwritten),
      mutant("the query gets the mean over the source in place of the sum", {factor},
             KeyValueMistake::query_averaged),
  };
}

}  // namespace hindsight::mutants
