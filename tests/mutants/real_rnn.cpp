// A step of the recurrent net as one operation, and mistakes in its backward.
//
//     y = tanh(x W + h U + b)
//
//     da = dy (1 - y^2)       dx = da W^T     dW = x^T da     db = sum of da over the batch
//                             dh = da U^T     dU = h^T da
#include <cmath>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<4> {};
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<5> {};

enum class RnnMistake {
  none,
  one_minus_y,         // 1 - y for 1 - y^2
  no_derivative,       // da = dy
  tanh_twice,          // 1 - tanh(y)^2, as if y were still to be activated
  new_state,           // dU = y^T da
  u_not_transposed,    // dh = da U
  du_transposed,       // dU = da^T h
  bias_of_last_row,    // db = da of the last sequence
  bias_averaged,       // db = mean of da over the batch
  weights_overwritten, // dW = and dU =, where more steps are to come
  state_overwritten,   // dh is assigned, where h_{t-1} is an output too
  state_detached,      // dh = 0
};

double slope(RnnMistake mistake, double y) {
  switch (mistake) {
    case RnnMistake::one_minus_y: return 1 - y;
    case RnnMistake::no_derivative: return 1;
    case RnnMistake::tanh_twice: return 1 - std::tanh(y) * std::tanh(y);
    default: return 1 - y * y;
  }
}

Var<double, Batch, Hidden> step(RnnMistake mistake, Var<double, Batch, In> x, Var<double, Batch, Hidden> h,
                                Var<double, In, Hidden> w, Var<double, From<Hidden>, Hidden> u, Var<double, Hidden> b) {
  using enum RnnMistake;
  const auto result = detail::result<double, Batch, Hidden>(h.extents, x, h, w, u, b);
  const Matrix y = value(result), da = scratch(y.rows, y.columns);
  each(y, [&](std::size_t i, std::size_t j) { y(i, j) = value(b)(0, j); });
  add_product(value(x), value(w), y);
  add_product(value(h), value(u), y);
  each(y, [&](std::size_t i, std::size_t j) { y(i, j) = std::tanh(y(i, j)); });
  return detail::record("rnn_step(%0, %1, %2, %3, %4)", result, [=] {
    each(da, [&](std::size_t i, std::size_t j) { da(i, j) = gradient(result)(i, j) * slope(mistake, y(i, j)); });

    add_product(da, value(w).transposed(), gradient(x));
    if (mistake == state_overwritten) clear(gradient(h));
    if (mistake != state_detached)
      add_product(da, mistake == u_not_transposed ? value(u) : value(u).transposed(), gradient(h));

    if (mistake == weights_overwritten) {
      clear(gradient(w));
      clear(gradient(u));
    }
    add_product(value(x).transposed(), da, gradient(w));
    const Matrix state = mistake == new_state ? y : value(h);
    if (mistake == du_transposed)
      add_product(da.transposed(), state, gradient(u));
    else
      add_product(state.transposed(), da, gradient(u));

    const double share = mistake == bias_averaged ? 1.0 / Batch::extent : 1;
    each(da, [&](std::size_t i, std::size_t j) {
      if (mistake != bias_of_last_row || i + 1 == da.rows) gradient(b)(0, j) += share * da(i, j);
    });
  }, x, h, w, u, b);
}

GradientReport check(RnnMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto first, auto w, auto u, auto b) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t)
      hs.push_back(step(mistake, at<Time>(xs, t), t == 0 ? first : hs.back(), w, u, b));
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Hidden>("W", seed), drawn<From<Hidden>, Hidden>("U", seed),
                         drawn<Hidden>("b", seed));
}

}  // namespace

std::vector<Mutant> in_rnn() {
  using enum Mistake;
  const MutantsOf<RnnMistake> mutant{"rnn step", check};
  return {
      mutant.right(),
      mutant("1 - y in place of 1 - y^2", {derivative}, RnnMistake::one_minus_y),
      mutant("the derivative of tanh is forgotten", {derivative}, RnnMistake::no_derivative),
      mutant("1 - tanh(y)^2, with y activated already", {derivative}, RnnMistake::tanh_twice),
      mutant("dU from h_t in place of h_{t-1}", {other_value, step_off}, RnnMistake::new_state),
      mutant("dh with U in place of U^T", {transposed}, RnnMistake::u_not_transposed),
      mutant("dU = da^T h in place of h^T da", {transposed}, RnnMistake::du_transposed),
      mutant("the bias gets the last row of the batch only", {not_reduced}, RnnMistake::bias_of_last_row),
      mutant("the bias gets the mean over the batch", {factor}, RnnMistake::bias_averaged),
      mutant("dW and dU assigned at each step, not added", {overwritten}, RnnMistake::weights_overwritten),
      mutant("dh_{t-1} assigned, not added", {overwritten}, RnnMistake::state_overwritten),
      mutant("the previous state is detached", {cut_off}, RnnMistake::state_detached),
  };
}

}  // namespace hindsight::mutants
