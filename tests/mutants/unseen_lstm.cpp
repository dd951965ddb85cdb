// A whole step of the LSTM as one operation, its weights inside, and mistakes in its backward.
//
//     f, i, o = sigmoid(x W + h' U + b)   g = tanh(x W + h' U + b)     of each gate's own W, U, b
//     c = f c' + i g                      h = o tanh(c)
//
//     Dc = dc + dh o (1 - tanh(c)^2)      dc' = Dc f
//     dz_f = Dc c' f (1 - f)   dz_i = Dc g i (1 - i)   dz_g = Dc i (1 - g^2)   dz_o = dh tanh(c) o (1 - o)
//
// and of each gate dx += dz W^T, dh' += dz U^T, dW += x^T dz, dU += h'^T dz, db += sum of dz over the batch.
#include <cmath>

#include "autodiff/join.hpp"
#include "layers/gates.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<4> {};
struct Hidden : Axis<3> {};
struct Shown;
struct Kept;
using Z = Gates<Hidden, Input, Forget, Candidate, Output>;
using States = Gates<Hidden, Shown, Kept>;

enum class LstmMistake {
  none,
  gates_in_other_order,   // dz_f is taken for the input gate's, dz_i for the forget gate's
  forget_without_memory,  // dz_f = Dc f (1 - f)
  input_from_memory,      // dz_i = Dc c' i (1 - i)
  squared_memory,         // 1 - c^2 for 1 - tanh(c)^2
  memory_from_dc,         // dc' = dc f
  bias_of_first_row,      // db of the first sequence
  u_assigned,             // dU =, where more steps are to come
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Var<double, Batch, States> step(LstmMistake mistake, Var<double, Batch, In> x, Var<double, Batch, Hidden> state,
                                Var<double, Batch, Hidden> memory, Var<double, In, Z> w, Var<double, From<Hidden>, Z> u,
                                Var<double, Z> b) {
  using enum LstmMistake;
  const auto out = detail::result<double, Batch, States>({Batch::extent, States::extent}, x, state, memory, w, u, b);
  const auto room = [] { return scratch(Batch::extent, Hidden::extent); };
  const auto activated = [&](auto function, auto its_w, auto its_u, auto its_b) {
    const Matrix y = room();
    each(y, [&](std::size_t n, std::size_t j) { y(n, j) = value(its_b)(0, j); });
    add_product(value(x), value(its_w), y);
    add_product(value(state), value(its_u), y);
    each(y, [&](std::size_t n, std::size_t j) { y(n, j) = function(y(n, j)); });
    return y;
  };
  const auto tanh_of = [](double a) { return std::tanh(a); };
  const Matrix f = activated(sigmoid, gate<Forget>(w), gate<Forget>(u), gate<Forget>(b));
  const Matrix i = activated(sigmoid, gate<Input>(w), gate<Input>(u), gate<Input>(b));
  const Matrix g = activated(tanh_of, gate<Candidate>(w), gate<Candidate>(u), gate<Candidate>(b));
  const Matrix o = activated(sigmoid, gate<Output>(w), gate<Output>(u), gate<Output>(b));
  const Matrix h = value(gate<Shown>(out)), c = value(gate<Kept>(out)), old = value(memory);
  each(c, [&](std::size_t n, std::size_t j) {
    c(n, j) = f(n, j) * old(n, j) + i(n, j) * g(n, j);
    h(n, j) = o(n, j) * std::tanh(c(n, j));
  });

  const Matrix df = room(), di = room(), dg = room(), d_o = room();  // of the pre-activations
  return detail::record("lstm_step(%0, %1, %2, %3, %4, %5)", out, [=] {
    const Matrix dh = gradient(gate<Shown>(out)), dc = gradient(gate<Kept>(out));
    each(c, [&](std::size_t n, std::size_t j) {
      const double F = f(n, j), I = i(n, j), G = g(n, j), O = o(n, j), y = std::tanh(c(n, j));
      const double inner = mistake == squared_memory ? c(n, j) : y;
      const double total = dc(n, j) + dh(n, j) * O * (1 - inner * inner);
      df(n, j) = total * (mistake == forget_without_memory ? 1 : old(n, j)) * F * (1 - F);
      di(n, j) = total * (mistake == input_from_memory ? old(n, j) : G) * I * (1 - I);
      dg(n, j) = total * I * (1 - G * G);
      d_o(n, j) = dh(n, j) * y * O * (1 - O);
      gradient(memory)(n, j) += (mistake == memory_from_dc ? dc(n, j) : total) * F;
    });

    if (mistake == u_assigned) clear(gradient(u));
    const auto pass = [&](const Matrix& dz, auto its_w, auto its_u, auto its_b) {
      add_product(dz, value(its_w).transposed(), gradient(x));
      add_product(dz, value(its_u).transposed(), gradient(state));
      add_product(value(x).transposed(), dz, gradient(its_w));
      add_product(value(state).transposed(), dz, gradient(its_u));
      each(dz, [&](std::size_t n, std::size_t j) {
        if (mistake != bias_of_first_row || n == 0) gradient(its_b)(0, j) += dz(n, j);
      });
    };
    const bool other_order = mistake == gates_in_other_order;
    pass(other_order ? di : df, gate<Forget>(w), gate<Forget>(u), gate<Forget>(b));
    pass(other_order ? df : di, gate<Input>(w), gate<Input>(u), gate<Input>(b));
    pass(dg, gate<Candidate>(w), gate<Candidate>(u), gate<Candidate>(b));
    pass(d_o, gate<Output>(w), gate<Output>(u), gate<Output>(b));
  }, x, state, memory, w, u, b);
}

GradientReport check(LstmMistake mistake, std::uint64_t seed) {
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

std::vector<Mutant> unseen_in_lstm() {
  using enum Mistake;
  const MutantsOf<LstmMistake> mutant{"lstm step", check};
  return {
      mutant.right(),
      mutant("the backward has the gates in another order, forget before input", {exchanged},
             LstmMistake::gates_in_other_order),
      mutant("the forget gate without c_{t-1}", {derivative}, LstmMistake::forget_without_memory),
      mutant("the input gate from c_{t-1} in place of the candidate", {other_value, derivative},
             LstmMistake::input_from_memory),
      mutant("1 - c^2 in place of 1 - tanh(c)^2", {derivative}, LstmMistake::squared_memory),
      mutant("dc_{t-1} without what comes through h", {missing_term}, LstmMistake::memory_from_dc),
      mutant("db is the first row of the batch", {not_reduced}, LstmMistake::bias_of_first_row),
      mutant("dU is assigned at each step, not added", {overwritten}, LstmMistake::u_assigned),
  };
}

}  // namespace hindsight::mutants
