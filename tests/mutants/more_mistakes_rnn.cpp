// A step of the recurrent net that takes [h, x], the state and the input joined, as one operation, and mistakes in its
// backward.
//
//     y = sigmoid([h, x] W + b)
//
//     da = dy y (1 - y)       d[h, x] = da W^T     dW = [h, x]^T da     db = sum of da over the batch
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<4> {};
struct Batch : Axis<3> {};
struct In : Axis<2> {};
struct Hidden : Axis<4> {};
struct Joined : Axis<6> {};

enum class JoinedMistake {
  none,
  as_tanh,              // 1 - y^2
  at_preactivation,     // a (1 - a)
  split_wrongly,        // the first columns of d[h, x] are taken for x's
  with_new_state,       // dW from [y, x]
  weights_of_last_row,  // dW of the last sequence
  bias_twice,           // db counted twice, as if there were two of them
};

/// Some of the columns of x.
Matrix columns(const Matrix& x, std::size_t first, std::size_t count) {
  return {x.values + first * x.column_stride, x.rows, count, x.row_stride, x.column_stride};
}

Var<double, Batch, Hidden> step(JoinedMistake mistake, Var<double, Batch, In> x, Var<double, Batch, Hidden> h,
                                Var<double, Joined, Hidden> w, Var<double, Hidden> b) {
  using enum JoinedMistake;
  constexpr std::size_t inputs = In::extent, units = Hidden::extent;
  const auto result = detail::result<double, Batch, Hidden>(h.extents, x, h, w, b);
  const Matrix y = value(result), a = scratch(y.rows, y.columns), da = scratch(y.rows, y.columns);
  const Matrix joined = scratch(y.rows, Joined::extent), d_joined = scratch(y.rows, Joined::extent);
  each(joined, [&](std::size_t n, std::size_t j) {
    joined(n, j) = j < units ? value(h)(n, j) : value(x)(n, j - units);
  });
  each(a, [&](std::size_t n, std::size_t j) { a(n, j) = value(b)(0, j); });
  add_product(joined, value(w), a);
  each(y, [&](std::size_t n, std::size_t j) { y(n, j) = 1 / (1 + std::exp(-a(n, j))); });

  return detail::record("joined_step(%0, %1, %2, %3)", result, [=] {
    each(da, [&](std::size_t n, std::size_t j) {
      const double at = mistake == at_preactivation ? a(n, j) : y(n, j);
      da(n, j) = gradient(result)(n, j) * (mistake == as_tanh ? 1 - at * at : at * (1 - at));
    });
    clear(d_joined);
    add_product(da, value(w).transposed(), d_joined);
    add(columns(d_joined, mistake == split_wrongly ? inputs : 0, units), gradient(h));
    add(columns(d_joined, mistake == split_wrongly ? 0 : units, inputs), gradient(x));

    for (std::size_t n = mistake == weights_of_last_row ? y.rows - 1 : 0; n < y.rows; ++n)
      each(gradient(w), [&](std::size_t k, std::size_t j) {
        const bool state = k < units;
        gradient(w)(k, j) += (mistake == with_new_state && state ? y(n, k) : joined(n, k)) * da(n, j);
      });
    add_rows(da, gradient(b));
    if (mistake == bias_twice) add_rows(da, gradient(b));
  }, x, h, w, b);
}

GradientReport check(JoinedMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto first, auto w, auto b) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t)
      hs.push_back(step(mistake, at<Time>(xs, t), t == 0 ? first : hs.back(), w, b));
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<Joined, Hidden>("W", seed), drawn<Hidden>("b", seed));
}

}  // namespace

std::vector<Mutant> in_joined_rnn() {
  using enum Mistake;
  const MutantsOf<JoinedMistake> mutant{"sigmoid rnn of [h, x]", check};
  return {
      mutant.right(),
      mutant("1 - y^2 as of a tanh, in place of y (1 - y)", {derivative}, JoinedMistake::as_tanh),
      mutant("a (1 - a) at the pre-activation in place of y (1 - y)", {derivative}, JoinedMistake::at_preactivation),
      mutant("d[h, x] is split as if it were d[x, h]", {exchanged}, JoinedMistake::split_wrongly),
      mutant("dW from [h_t, x] in place of [h_{t-1}, x]", {other_value, step_off}, JoinedMistake::with_new_state),
      mutant("dW from the last row of the batch only", {not_reduced, missing_term},
             JoinedMistake::weights_of_last_row),
      mutant("db is added twice", {factor}, JoinedMistake::bias_twice),
  };
}

}  // namespace hindsight::mutants
