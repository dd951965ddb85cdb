// A dense layer with relu as one operation, and mistakes in its backward.
//
//     y = relu(x W + b)
//
//     da = dy where y > 0, else 0      dx = da W^T     dW = x^T da     db = sum of da over the batch
#include <algorithm>

#include "autodiff/join.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<4> {};
struct Hidden : Axis<5> {};
struct Out : Axis<3> {};

enum class DenseMistake {
  none,
  not_negative,      // da = dy where y >= 0, which is everywhere
  input_past_relu,   // dx = dy W^T
  weights_averaged,  // dW divided by the batch, which the loss did already
  bias_assigned,     // db =, where more steps are to come
};

Var<double, Batch, Hidden> dense(DenseMistake mistake, Var<double, Batch, In> x, Var<double, In, Hidden> w,
                                 Var<double, Hidden> b) {
  using enum DenseMistake;
  const auto result = detail::result<double, Batch, Hidden>({Batch::extent, Hidden::extent}, x, w, b);
  const Matrix y = value(result), da = scratch(y.rows, y.columns), for_weights = scratch(y.rows, y.columns);
  each(y, [&](std::size_t i, std::size_t j) { y(i, j) = value(b)(0, j); });
  add_product(value(x), value(w), y);
  each(y, [&](std::size_t i, std::size_t j) { y(i, j) = std::max(y(i, j), 0.0); });
  return detail::record("dense(%0, %1, %2)", result, [=] {
    const Matrix dy = gradient(result);
    each(da, [&](std::size_t i, std::size_t j) {
      da(i, j) = y(i, j) > 0 || mistake == not_negative ? dy(i, j) : 0;
      for_weights(i, j) = mistake == weights_averaged ? da(i, j) / Batch::extent : da(i, j);
    });
    add_product(value(x).transposed(), for_weights, gradient(w));
    add_product(mistake == input_past_relu ? dy : da, value(w).transposed(), gradient(x));
    if (mistake == bias_assigned) clear(gradient(b));
    add_rows(da, gradient(b));
  }, x, w, b);
}

GradientReport check(DenseMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto w, auto b, auto v) {
    std::vector<Var<double, Batch, Out>> ys;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var x = tanh(at<Time>(xs, t));
      Var y = contract<Hidden>(dense(mistake, x, w, b), v);
      ys.push_back(y);
    }
    return stack<Time>(ys);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<In, Hidden>("W", seed),
                         drawn<Hidden>("b", seed), drawn<Hidden, Out>("V", seed));
}

}  // namespace

std::vector<Mutant> in_dense() {
  using enum Mistake;
  const MutantsOf<DenseMistake> mutant{"dense layer", check};
  return {
      mutant.right(),
      mutant("relu's derivative where y >= 0, which is everywhere", {derivative}, DenseMistake::not_negative),
      mutant("dx from dy, past the relu", {derivative}, DenseMistake::input_past_relu),
      mutant("dW is averaged over the batch", {factor}, DenseMistake::weights_averaged),
      mutant("db is assigned at each step, not added", {overwritten}, DenseMistake::bias_assigned),
  };
}

}  // namespace hindsight::mutants
