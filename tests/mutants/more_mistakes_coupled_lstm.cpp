// The memory of an LSTM whose input gate is 1 - f (Greff et al. 2015) as one operation, and mistakes in its backward.
// In are the gates f, g, o, which are activated, and c', the memory before; out are h and c.
//
//     c = f c' + (1 - f) g      h = o tanh(c)
//
//     Dc = dc + dh o (1 - tanh(c)^2)
//     df = Dc (c' - g)          dg = Dc (1 - f)     do = dh tanh(c)     dc' = Dc f
#include <cmath>
#include <utility>

#include "autodiff/join.hpp"
#include "layers/gates.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<3> {};
struct In : Axis<2> {};
struct Hidden : Axis<4> {};
struct Shown;
struct Kept;
using Z = Gates<Hidden, Forget, Candidate, Output>;
using States = Gates<Hidden, Shown, Kept>;

enum class CoupledMistake {
  none,
  coupling_forgotten,    // df = Dc c'
  coupling_added,        // df = Dc (c' + g)
  sigmoid_again,         // df = Dc (c' - g) f (1 - f), which the sigmoid does as well
  candidate_by_forget,   // dg = Dc f
  output_from_state,     // do = dh h
  memory_overwritten,    // dc' is assigned, where c' is an output too
  candidate_and_memory,  // dg and dc' exchanged
};

Var<double, Batch, States> memorised(CoupledMistake mistake, Var<double, Batch, Hidden> f,
                                     Var<double, Batch, Hidden> g, Var<double, Batch, Hidden> o,
                                     Var<double, Batch, Hidden> memory) {
  using enum CoupledMistake;
  const auto out = detail::result<double, Batch, States>({Batch::extent, States::extent}, f, g, o, memory);
  const Matrix h = value(gate<Shown>(out)), c = value(gate<Kept>(out));
  each(h, [&](std::size_t n, std::size_t j) {
    c(n, j) = value(f)(n, j) * value(memory)(n, j) + (1 - value(f)(n, j)) * value(g)(n, j);
    h(n, j) = value(o)(n, j) * std::tanh(c(n, j));
  });
  return detail::record("memory(%0, %1, %2, %3)", out, [=] {
    if (mistake == memory_overwritten) clear(gradient(memory));
    each(h, [&](std::size_t n, std::size_t j) {
      const double forget = value(f)(n, j), candidate = value(g)(n, j), before = value(memory)(n, j);
      const double dh = gradient(gate<Shown>(out))(n, j), dc = gradient(gate<Kept>(out))(n, j);
      const double y = std::tanh(c(n, j)), total = dc + dh * value(o)(n, j) * (1 - y * y);
      const double coupled = mistake == coupling_forgotten ? 0 : mistake == coupling_added ? -candidate : candidate;
      double dg = total * (mistake == candidate_by_forget ? forget : 1 - forget), d_memory = total * forget;
      if (mistake == candidate_and_memory) std::swap(dg, d_memory);
      gradient(f)(n, j) += total * (before - coupled) * (mistake == sigmoid_again ? forget * (1 - forget) : 1);
      gradient(g)(n, j) += dg;
      gradient(o)(n, j) += dh * (mistake == output_from_state ? h(n, j) : y);
      gradient(memory)(n, j) += d_memory;
    });
  }, f, g, o, memory);
}

GradientReport check(CoupledMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto c, auto w, auto u, auto b) {
    std::vector<Var<double, Batch, States>> states;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var z = contract<In>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u) + b;
      Var forget = sigmoid(gate<Forget>(z));
      Var candidate = tanh(gate<Candidate>(z));
      Var output = sigmoid(gate<Output>(z));
      states.push_back(memorised(mistake, forget, candidate, output, c));
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

std::vector<Mutant> in_coupled_lstm() {
  using enum Mistake;
  const MutantsOf<CoupledMistake> mutant{"coupled lstm, gates given", check};
  return {
      mutant.right(),
      mutant("the forget gate without its part in 1 - f", {missing_term}, CoupledMistake::coupling_forgotten),
      mutant("the forget gate's part in 1 - f is added, not subtracted", {sign, missing_term},
             CoupledMistake::coupling_added),
      mutant("f (1 - f), which the sigmoid's backward does as well", {derivative}, CoupledMistake::sigmoid_again),
      mutant("the candidate by f in place of 1 - f", {derivative, other_value}, CoupledMistake::candidate_by_forget),
      mutant("the output gate from h in place of tanh(c)", {other_value, derivative},
             CoupledMistake::output_from_state),
      mutant("dc_{t-1} assigned, not added", {overwritten}, CoupledMistake::memory_overwritten),
      mutant("the gradients of candidate and memory are mixed up", {exchanged}, CoupledMistake::candidate_and_memory),
  };
}

}  // namespace hindsight::mutants
