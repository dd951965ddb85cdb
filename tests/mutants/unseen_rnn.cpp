// A step of the recurrent net as one operation, with weights that lie as in PyTorch, a row for each output, and
// mistakes in its backward.
//
//     y = tanh(x W^T + h U^T + b)
//
//     da = dy (1 - y^2)       dx = da W     dW = da^T x     db = sum of da over the batch
//                             dh = da U     dU = da^T h
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<4> {};
struct Hidden : Axis<3> {};

enum class RnnMistake {
  none,
  sigmoid_derivative,  // y (1 - y)
  at_preactivation,    // 1 - a^2, a the pre-activation
  state_past_tanh,     // dh = dy U
  u_subtracted,        // dU = -da^T h, a step of descent
  u_of_last_row,       // dU of the last sequence
  new_state,           // dU = da^T y
};

Var<double, Batch, Hidden> step(RnnMistake mistake, Var<double, Batch, In> x, Var<double, Batch, Hidden> h,
                                Var<double, Hidden, In> w, Var<double, Hidden, From<Hidden>> u, Var<double, Hidden> b) {
  using enum RnnMistake;
  const auto result = detail::result<double, Batch, Hidden>(h.extents, x, h, w, u, b);
  const Matrix y = value(result), a = scratch(y.rows, y.columns), da = scratch(y.rows, y.columns);
  each(a, [&](std::size_t n, std::size_t j) { a(n, j) = value(b)(0, j); });
  add_product(value(x), value(w).transposed(), a);
  add_product(value(h), value(u).transposed(), a);
  each(y, [&](std::size_t n, std::size_t j) { y(n, j) = std::tanh(a(n, j)); });

  const Matrix for_u = scratch(y.rows, y.columns);
  return detail::record("elman_step(%0, %1, %2, %3, %4)", result, [=] {
    const Matrix dy = gradient(result);
    each(da, [&](std::size_t n, std::size_t j) {
      const double at = mistake == at_preactivation ? a(n, j) : y(n, j);
      da(n, j) = dy(n, j) * (mistake == sigmoid_derivative ? at * (1 - at) : 1 - at * at);
      for_u(n, j) = mistake == u_subtracted                               ? -da(n, j)
                    : mistake == u_of_last_row && n + 1 != Batch::extent ? 0
                                                                          : da(n, j);
    });
    add_product(da, value(w), gradient(x));
    add_product(da.transposed(), value(x), gradient(w));
    add_product(mistake == state_past_tanh ? dy : da, value(u), gradient(h));
    add_product(for_u.transposed(), mistake == new_state ? y : value(h), gradient(u));
    add_rows(da, gradient(b));
  }, x, h, w, u, b);
}

GradientReport check(RnnMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto w, auto u, auto b) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      h = step(mistake, at<Time>(xs, t), h, w, u, b);
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<Hidden, In>("W", seed), drawn<Hidden, From<Hidden>>("U", seed),
                         drawn<Hidden>("b", seed));
}

}  // namespace

std::vector<Mutant> unseen_in_rnn() {
  using enum Mistake;
  const MutantsOf<RnnMistake> mutant{"elman step", check};
  return {
      mutant.right(),
      mutant("y (1 - y), a sigmoid's derivative, in place of tanh's", {derivative}, RnnMistake::sigmoid_derivative),
      mutant("1 - a^2 of the pre-activation", {derivative}, RnnMistake::at_preactivation),
      mutant("dh from dy, past the tanh", {derivative}, RnnMistake::state_past_tanh),
      mutant("dU is subtracted, as if it were a step of descent", {sign}, RnnMistake::u_subtracted),
      mutant("dU is the outer product of the last row of the batch", {not_reduced, missing_term},
             RnnMistake::u_of_last_row),
      mutant("dU from the new state in place of the one before", {step_off, other_value}, RnnMistake::new_state),
  };
}

}  // namespace hindsight::mutants
