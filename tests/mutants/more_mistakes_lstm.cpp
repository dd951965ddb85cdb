// A step of the LSTM as one operation, with its weights inside, and mistakes in its backward. The gates are ordered
// i, f, o, g; the forget gate has an offset of 1, as is done so that the memory is kept at first. h' and c' are the
// states before.
//
//     z = x W + h' U + b
//     i = sigmoid(z_i)   f = sigmoid(z_f + 1)   o = sigmoid(z_o)   g = tanh(z_g)
//     c = f c' + i g     h = o tanh(c)
//
//     Dc = dc + dh o (1 - tanh(c)^2)
//     dz_i = Dc g i (1 - i)   dz_f = Dc c' f (1 - f)   dz_o = dh tanh(c) o (1 - o)   dz_g = Dc i (1 - g^2)
//     dc' = Dc f     dx = dz W^T     dW = x^T dz     dh' = dz U^T     dU = h'^T dz     db = sum of dz over the batch
#include <cmath>

#include "autodiff/join.hpp"
#include "layers/gates.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<4> {};
struct Hidden : Axis<3> {};
struct Shown;
struct Kept;
using Z = Gates<Hidden, Input, Forget, Output, Candidate>;
using States = Gates<Hidden, Shown, Kept>;

enum class StepMistake {
  none,
  output_without_sigmoid,     // dz_o = dh tanh(c)
  one_minus_c,                // 1 - c^2 for 1 - tanh(c)^2
  forget_without_offset,      // f = sigmoid(z_f) in the backward
  memory_from_next_step,      // dc' = dc f, without the path through h
  state_without_candidate,    // dh' without dz_g U_g^T
  u_not_transposed,           // dh' = dz_k U_k
  weights_in_other_order,     // dW in the order i, f, g, o
  new_state,                  // dU = h^T dz
  u_overwritten,              // dU =, where more steps are to come
  candidate_from_input_gate,  // dz_g = Dc g (1 - g^2)
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The gates of one unit of one sequence.
struct Activated {
  double i, f, o, g;
};

Var<double, Batch, States> step(StepMistake mistake, Var<double, Batch, In> x, Var<double, Batch, Hidden> h,
                                Var<double, Batch, Hidden> c, Var<double, In, Z> w, Var<double, From<Hidden>, Z> u,
                                Var<double, Z> b) {
  using enum StepMistake;
  const auto out = detail::result<double, Batch, States>({Batch::extent, States::extent}, x, h, c, w, u, b);
  const auto z = detail::result<double, Batch, Z>({Batch::extent, Z::extent});
  const auto dz = detail::result<double, Batch, Z>({Batch::extent, Z::extent});
  const Matrix new_h = value(gate<Shown>(out)), new_c = value(gate<Kept>(out));
  each(value(z), [&](std::size_t n, std::size_t k) { value(z)(n, k) = value(b)(0, k); });
  add_product(value(x), value(w), value(z));
  add_product(value(h), value(u), value(z));
  const auto gates = [=](std::size_t n, std::size_t j, double forget_offset) {
    return Activated{.i = sigmoid(value(gate<Input>(z))(n, j)),
                     .f = sigmoid(value(gate<Forget>(z))(n, j) + forget_offset),
                     .o = sigmoid(value(gate<Output>(z))(n, j)),
                     .g = std::tanh(value(gate<Candidate>(z))(n, j))};
  };
  each(new_h, [&](std::size_t n, std::size_t j) {
    const Activated unit = gates(n, j, 1);
    new_c(n, j) = unit.f * value(c)(n, j) + unit.i * unit.g;
    new_h(n, j) = unit.o * std::tanh(new_c(n, j));
  });

  return detail::record("lstm_step(%0, %1, %2, %3, %4, %5)", out, [=] {
    each(new_h, [&](std::size_t n, std::size_t j) {
      const auto [i, f, o, g] = gates(n, j, mistake == forget_without_offset ? 0 : 1);
      const double dh = gradient(gate<Shown>(out))(n, j), dc = gradient(gate<Kept>(out))(n, j);
      const double y = std::tanh(new_c(n, j)), at = mistake == one_minus_c ? new_c(n, j) : y;
      const double total = dc + dh * o * (1 - at * at);
      value(gate<Input>(dz))(n, j) = total * g * i * (1 - i);
      value(gate<Forget>(dz))(n, j) = total * value(c)(n, j) * f * (1 - f);
      value(gate<Output>(dz))(n, j) = dh * y * (mistake == output_without_sigmoid ? 1 : o * (1 - o));
      value(gate<Candidate>(dz))(n, j) = total * (mistake == candidate_from_input_gate ? g : i) * (1 - g * g);
      gradient(c)(n, j) += (mistake == memory_from_next_step ? dc : total) * f;
    });

    const auto pass_to_state = [&](auto u_of_gate, auto dz_of_gate) {
      const Matrix weights = value(u_of_gate);
      add_product(value(dz_of_gate), mistake == u_not_transposed ? weights : weights.transposed(), gradient(h));
    };
    pass_to_state(gate<Input>(u), gate<Input>(dz));
    pass_to_state(gate<Forget>(u), gate<Forget>(dz));
    pass_to_state(gate<Output>(u), gate<Output>(dz));
    if (mistake != state_without_candidate) pass_to_state(gate<Candidate>(u), gate<Candidate>(dz));

    const auto add_to_weights = [&](auto dz_of_gate, auto w_of_gate) {
      add_product(value(x).transposed(), value(dz_of_gate), gradient(w_of_gate));
    };
    const bool other_order = mistake == weights_in_other_order;
    add_to_weights(gate<Input>(dz), gate<Input>(w));
    add_to_weights(gate<Forget>(dz), gate<Forget>(w));
    add_to_weights(gate<Output>(dz), other_order ? gate<Candidate>(w) : gate<Output>(w));
    add_to_weights(gate<Candidate>(dz), other_order ? gate<Output>(w) : gate<Candidate>(w));

    add_product(value(dz), value(w).transposed(), gradient(x));
    if (mistake == u_overwritten) clear(gradient(u));
    add_product((mistake == new_state ? new_h : value(h)).transposed(), value(dz), gradient(u));
    add_rows(value(dz), gradient(b));
  }, x, h, c, w, u, b);
}

GradientReport check(StepMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto c, auto w, auto u, auto b) {
    std::vector<Var<double, Batch, States>> states;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      states.push_back(step(mistake, at<Time>(xs, t), detail::contiguous(h), detail::contiguous(c), w, u, b));
      h = gate<Shown>(states.back());
      c = gate<Kept>(states.back());
    }
    return stack<Time>(states);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<In, Z>("W", seed), drawn<From<Hidden>, Z>("U", seed),
                         drawn<Z>("b", seed));
}

}  // namespace

std::vector<Mutant> in_lstm_step() {
  using enum Mistake;
  const MutantsOf<StepMistake> mutant{"lstm step with its weights", check};
  return {
      mutant.right(),
      mutant("the output gate without o (1 - o)", {derivative}, StepMistake::output_without_sigmoid),
      mutant("1 - c^2 in place of 1 - tanh(c)^2", {derivative}, StepMistake::one_minus_c),
      mutant("the forget gate computed again without its offset", {derivative, other_value},
             StepMistake::forget_without_offset),
      mutant("dc_{t-1} without the path through h", {missing_term}, StepMistake::memory_from_next_step),
      mutant("dh_{t-1} without the candidate's part", {missing_term}, StepMistake::state_without_candidate),
      mutant("dh_{t-1} with U in place of U^T", {transposed}, StepMistake::u_not_transposed),
      mutant("dW with output gate and candidate in another order", {exchanged}, StepMistake::weights_in_other_order),
      mutant("dU from h_t in place of h_{t-1}", {other_value, step_off}, StepMistake::new_state),
      mutant("dU is assigned at each step, not added", {overwritten}, StepMistake::u_overwritten),
      mutant("the candidate from g in place of i", {other_value}, StepMistake::candidate_from_input_gate),
  };
}

}  // namespace hindsight::mutants
