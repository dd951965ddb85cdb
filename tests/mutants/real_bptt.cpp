// The recurrent net over a whole sequence as one operation: backpropagation through time by hand.
//
//     h_t = tanh(x_t W + h_{t-1} U + b)          t = 0 .. T-1, h_{-1} given
//
// and backwards from the last step, with dh the gradient that comes from outside:
//
//     da_t = (dh_t + da_{t+1} U^T) (1 - h_t^2)
//     dx_t = da_t W^T     dW = sum_t x_t^T da_t     dU = sum_t h_{t-1}^T da_t     db = sum of da_t over t and the batch
#include <algorithm>
#include <cmath>

#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<4> {};
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<5> {};

enum class BpttMistake {
  none,
  not_carried,        // da_{t+1} U^T is forgotten
  carried_by_u,       // da_{t+1} U
  new_state,          // dU from h_t
  next_input,         // dW from x_{t+1}
  old_derivative,     // 1 - h_{t-1}^2
  last_du_only,       // dU = in the loop over t, where += belongs
  bias_of_last_step,  // db is not summed over t
  first_state_alone,  // nothing is passed on to h_{-1}
};

Var<double, Time, Batch, Hidden> rnn(BpttMistake mistake, Var<double, Time, Batch, In> xs,
                                     Var<double, Batch, Hidden> first, Var<double, In, Hidden> w,
                                     Var<double, From<Hidden>, Hidden> u, Var<double, Hidden> b) {
  using enum BpttMistake;
  constexpr std::size_t steps = Time::extent, sequences = Batch::extent, units = Hidden::extent;
  const auto hs = detail::result<double, Time, Batch, Hidden>({steps, sequences, units}, xs, first, w, u, b);
  const auto x = [=](std::size_t t) { return at<Time>(xs, t); };
  const auto h = [=](std::size_t t) { return at<Time>(hs, t); };
  const auto before = [=](std::size_t t) { return t == 0 ? first : h(t - 1); };
  for (std::size_t t = 0; t < steps; ++t) {
    const Matrix y = value(h(t));
    each(y, [&](std::size_t i, std::size_t j) { y(i, j) = value(b)(0, j); });
    add_product(value(x(t)), value(w), y);
    add_product(value(before(t)), value(u), y);
    each(y, [&](std::size_t i, std::size_t j) { y(i, j) = std::tanh(y(i, j)); });
  }

  const Matrix da = scratch(sequences, units), carried = scratch(sequences, units), du = scratch(units, units);
  return detail::record("rnn(%0, %1, %2, %3, %4)", hs, [=] {
    clear(carried);
    clear(du);
    for (std::size_t t = steps; t-- > 0;) {
      const Matrix y = value(mistake == old_derivative ? before(t) : h(t));
      each(da, [&](std::size_t i, std::size_t j) {
        const double dh = gradient(h(t))(i, j) + (mistake == not_carried ? 0 : carried(i, j));
        da(i, j) = dh * (1 - y(i, j) * y(i, j));
      });
      add_product(da, value(w).transposed(), gradient(x(t)));

      const std::size_t input = mistake == next_input ? std::min(t + 1, steps - 1) : t;
      add_product(value(x(input)).transposed(), da, gradient(w));
      if (mistake == last_du_only) clear(du);
      add_product(value(mistake == new_state ? h(t) : before(t)).transposed(), da, du);
      if (mistake != bias_of_last_step || t + 1 == steps) add_rows(da, gradient(b));

      clear(carried);
      add_product(da, mistake == carried_by_u ? value(u) : value(u).transposed(), carried);
    }
    add(du, gradient(u));
    if (mistake != first_state_alone) add(carried, gradient(first));
  }, xs, first, w, u, b);
}

GradientReport check(BpttMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto first, auto w, auto u, auto b) { return rnn(mistake, xs, first, w, u, b); };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Hidden>("W", seed), drawn<From<Hidden>, Hidden>("U", seed),
                         drawn<Hidden>("b", seed));
}

}  // namespace

std::vector<Mutant> in_bptt() {
  using enum Mistake;
  const MutantsOf<BpttMistake> mutant{"rnn over all steps", check};
  return {
      mutant.right(),
      mutant("nothing is carried from step to step", {missing_term, cut_off}, BpttMistake::not_carried),
      mutant("carried back by U in place of U^T", {transposed}, BpttMistake::carried_by_u),
      mutant("dU from h_t in place of h_{t-1}", {step_off, other_value}, BpttMistake::new_state),
      mutant("dW from x_{t+1} in place of x_t", {step_off, other_value}, BpttMistake::next_input),
      mutant("1 - h_{t-1}^2 in place of 1 - h_t^2", {derivative, step_off}, BpttMistake::old_derivative),
      mutant("dU assigned in the loop over the steps, not added", {overwritten, missing_term},
             BpttMistake::last_du_only),
      mutant("the bias gets the last step only", {not_reduced, missing_term}, BpttMistake::bias_of_last_step),
      mutant("the first state gets nothing", {cut_off}, BpttMistake::first_state_alone),
  };
}

}  // namespace hindsight::mutants
