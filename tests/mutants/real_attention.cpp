// Scaled dot attention as one operation, and mistakes in its backward. In are the query q and the memory m_i,
// which is key and value in one; out is the context.
//
//     e_i = q . m_i / sqrt(H)     alpha = softmax(e)     c = sum_i alpha_i m_i
//
//     dalpha_i = dc . m_i         de_i = alpha_i (dalpha_i - sum_k alpha_k dalpha_k)
//     dq = sum_i de_i m_i / sqrt(H)
//     dm_i = alpha_i dc + de_i q / sqrt(H)
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

enum class AttentionMistake {
  none,
  values_only,         // de = 0
  keys_only,           // dm_i without alpha_i dc
  unscaled,            // without 1 / sqrt(H)
  scaled_twice,        // 1 / H
  softmax_without_sum,  // de = alpha dalpha
  memory_assigned,     // dm_i = de_i q / sqrt(H), after alpha_i dc was added
  key_from_context,    // dm_i = alpha_i dc + de_i c / sqrt(H)
  query_of_last,       // dq is assigned in the loop over i
};

double dot(const Matrix& a, const Matrix& b, std::size_t n) {
  double sum = 0;
  for (std::size_t j = 0; j < a.columns; ++j) sum += a(n, j) * b(n, j);
  return sum;
}

Var<double, Batch, Hidden> attention(AttentionMistake mistake, Var<double, Batch, Hidden> query,
                                     Var<double, Source, Batch, Hidden> memory) {
  using enum AttentionMistake;
  constexpr std::size_t positions = Source::extent, sentences = Batch::extent, units = Hidden::extent;
  const double scale = 1 / std::sqrt(static_cast<double>(units));
  const auto context = detail::result<double, Batch, Hidden>(query.extents, query, memory);
  const Matrix alpha = scratch(positions, sentences), de = scratch(positions, sentences);
  const auto m = [=](std::size_t i) { return value(at<Source>(memory, i)); };
  const auto dm = [=](std::size_t i) { return gradient(at<Source>(memory, i)); };

  clear(value(context));
  for (std::size_t n = 0; n < sentences; ++n) {
    double total = 0;
    for (std::size_t i = 0; i < positions; ++i) total += alpha(i, n) = std::exp(scale * dot(value(query), m(i), n));
    for (std::size_t i = 0; i < positions; ++i) {
      alpha(i, n) /= total;
      for (std::size_t j = 0; j < units; ++j) value(context)(n, j) += alpha(i, n) * m(i)(n, j);
    }
  }
  return detail::record("attention(%0, %1)", context, [=] {
    const Matrix dc = gradient(context), dq = gradient(query);
    const Matrix key = mistake == key_from_context ? value(context) : value(query);
    const double factor = mistake == unscaled ? 1 : mistake == scaled_twice ? scale * scale : scale;
    for (std::size_t n = 0; n < sentences; ++n) {
      double mean = 0;
      for (std::size_t i = 0; i < positions; ++i) mean += alpha(i, n) * dot(dc, m(i), n);
      for (std::size_t i = 0; i < positions; ++i)
        de(i, n) = mistake == values_only           ? 0
                   : mistake == softmax_without_sum ? alpha(i, n) * dot(dc, m(i), n)
                                                    : alpha(i, n) * (dot(dc, m(i), n) - mean);
      for (std::size_t j = 0; j < units; ++j) {
        double total = 0;
        for (std::size_t i = 0; i < positions; ++i) {
          if (mistake != keys_only) dm(i)(n, j) += alpha(i, n) * dc(n, j);
          if (mistake == memory_assigned) dm(i)(n, j) = 0;
          dm(i)(n, j) += factor * de(i, n) * key(n, j);
          total = (mistake == query_of_last ? 0 : total) + factor * de(i, n) * m(i)(n, j);
        }
        dq(n, j) += total;
      }
    }
  }, query, memory);
}

GradientReport check(AttentionMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto states, auto context, auto memory) {
    std::vector<Var<double, Batch, Hidden>> contexts;
    for (std::size_t t = 0; t < Target::extent; ++t) {
      Var query = tanh(at<Target>(states, t) + context);
      context = attention(mistake, query, memory);
      contexts.push_back(context);
    }
    return stack<Target>(contexts);
  };
  return check_gradients({.seed = seed}, f, drawn<Target, Batch, Hidden>("states", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<Source, Batch, Hidden>("memory", seed));
}

}  // namespace

std::vector<Mutant> in_attention() {
  using enum Mistake;
  const MutantsOf<AttentionMistake> mutant{"attention", check};
  return {
      mutant.right(),
      mutant("nothing through the weights, only through the values", {cut_off, missing_term},
             AttentionMistake::values_only),
      mutant("nothing through the values, only through the weights", {missing_term}, AttentionMistake::keys_only),
      mutant("1 / sqrt(H) is forgotten in the backward", {factor}, AttentionMistake::unscaled),
      mutant("1 / sqrt(H) twice in the backward", {factor}, AttentionMistake::scaled_twice),
      mutant("softmax's backward without the sum", {missing_term}, AttentionMistake::softmax_without_sum),
      mutant("the memory's gradient as a key overwrites that as a value", {overwritten, missing_term},
                AttentionMistake::memory_assigned),
      mutant("the keys' gradient from the context in place of the query", {other_value},
             AttentionMistake::key_from_context),
      mutant("the query's gradient assigned in the loop over the source", {overwritten, missing_term},
                AttentionMistake::query_of_last),
  };
}

}  // namespace hindsight::mutants
