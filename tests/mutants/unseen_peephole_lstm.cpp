// The peephole LSTM's pointwise step as one operation that recomputes its gates in the backward, and mistakes in it.
// In are z = W [x, h], the bias b, the memory before c' and the peepholes p; out are h and c.
//
//     f = sigmoid(z_f + b_f + p_f c')   i = sigmoid(z_i + b_i + p_i c')   g = tanh(z_g + b_g)
//     c = f c' + i g                    o = sigmoid(z_o + b_o + p_o c)    h = o tanh(c)
//
//     dz_o = dh tanh(c) o (1 - o)       Dc = dc + dh o (1 - tanh(c)^2) + dz_o p_o
//     dz_f = Dc c' f (1 - f)            dz_i = Dc g i (1 - i)             dz_g = Dc i (1 - g^2)
//     dc' = Dc f + dz_f p_f + dz_i p_i
//     dp_f = dz_f c'   dp_i = dz_i c'   dp_o = dz_o c   db = dz           summed over the batch
#include <cmath>

#include "autodiff/join.hpp"
#include "layers/gates.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/unseen.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<3> {};
struct In : Axis<2> {};
struct Hidden : Axis<4> {};
struct Shown;
struct Kept;
using Z = Gates<Hidden, Forget, Input, Candidate, Output>;
using Peepholes = Gates<Hidden, Forget, Input, Output>;
using States = Gates<Hidden, Shown, Kept>;

enum class PeepholeMistake {
  none,
  output_averaged,         // dp_o is the mean over the batch
  input_without_memory,    // dp_i = dz_i
  path_without_peephole,   // Dc with dz_o in place of dz_o p_o
  path_comes_late,         // dz_f, dz_i, dz_g from Dc without dz_o p_o, which only dc' has
  peepholes_constant,      // dp = 0
  gate_without_peephole,   // o (1 - o) of o = sigmoid(z_o + b_o)
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Var<double, Batch, States> pointwise(PeepholeMistake mistake, Var<double, Batch, Z> z, Var<double, Z> b,
                                     Var<double, Batch, Hidden> memory, Var<double, Peepholes> p) {
  using enum PeepholeMistake;
  const auto out = detail::result<double, Batch, States>({Batch::extent, States::extent}, z, b, memory, p);
  const Matrix old = value(memory), h = value(gate<Shown>(out)), c = value(gate<Kept>(out));
  const Matrix p_f = value(gate<Forget>(p)), p_i = value(gate<Input>(p)), p_o = value(gate<Output>(p));
  const auto sum = [](auto its_z, auto its_b, std::size_t n, std::size_t j) {
    return value(its_z)(n, j) + value(its_b)(0, j);
  };
  const auto f = [=](std::size_t n, std::size_t j) {
    return sigmoid(sum(gate<Forget>(z), gate<Forget>(b), n, j) + p_f(0, j) * old(n, j));
  };
  const auto i = [=](std::size_t n, std::size_t j) {
    return sigmoid(sum(gate<Input>(z), gate<Input>(b), n, j) + p_i(0, j) * old(n, j));
  };
  const auto g = [=](std::size_t n, std::size_t j) {
    return std::tanh(sum(gate<Candidate>(z), gate<Candidate>(b), n, j));
  };
  const auto o = [=](std::size_t n, std::size_t j, double peephole) {
    return sigmoid(sum(gate<Output>(z), gate<Output>(b), n, j) + peephole * c(n, j));
  };
  each(c, [&](std::size_t n, std::size_t j) {
    c(n, j) = f(n, j) * old(n, j) + i(n, j) * g(n, j);
    h(n, j) = o(n, j, p_o(0, j)) * std::tanh(c(n, j));
  });

  return detail::record("peephole_step(%0, %1, %2, %3)", out, [=] {
    each(c, [&](std::size_t n, std::size_t j) {
      const double dh = gradient(gate<Shown>(out))(n, j), dc = gradient(gate<Kept>(out))(n, j);
      const double F = f(n, j), I = i(n, j), G = g(n, j), O = o(n, j, p_o(0, j)), y = std::tanh(c(n, j));
      const double at = mistake == gate_without_peephole ? o(n, j, 0) : O;
      const double dz_o = dh * y * at * (1 - at);
      const double path = dz_o * (mistake == path_without_peephole ? 1 : p_o(0, j));
      const double total = dc + dh * O * (1 - y * y) + path;

      const double for_gates = mistake == path_comes_late ? total - path : total;
      const double dz_f = for_gates * old(n, j) * F * (1 - F);
      const double dz_i = for_gates * G * I * (1 - I);
      const double dz_g = for_gates * I * (1 - G * G);
      gradient(memory)(n, j) += total * F + dz_f * p_f(0, j) + dz_i * p_i(0, j);

      gradient(gate<Forget>(z))(n, j) += dz_f;
      gradient(gate<Input>(z))(n, j) += dz_i;
      gradient(gate<Candidate>(z))(n, j) += dz_g;
      gradient(gate<Output>(z))(n, j) += dz_o;
      gradient(gate<Forget>(b))(0, j) += dz_f;
      gradient(gate<Input>(b))(0, j) += dz_i;
      gradient(gate<Candidate>(b))(0, j) += dz_g;
      gradient(gate<Output>(b))(0, j) += dz_o;

      if (mistake == peepholes_constant) return;
      const double share = mistake == output_averaged ? 1.0 / Batch::extent : 1;
      gradient(gate<Forget>(p))(0, j) += dz_f * old(n, j);
      gradient(gate<Input>(p))(0, j) += dz_i * (mistake == input_without_memory ? 1 : old(n, j));
      gradient(gate<Output>(p))(0, j) += share * dz_o * c(n, j);
    });
  }, z, b, memory, p);
}

GradientReport check(PeepholeMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto c, auto w, auto u, auto b, auto p) {
    std::vector<Var<double, Batch, States>> states;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var z = contract<In>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      states.push_back(pointwise(mistake, z, b, detail::contiguous(c), p));
      h = gate<Shown>(states.back());
      c = gate<Kept>(states.back());
    }
    return stack<Time>(states);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<In, Z>("W", seed), drawn<From<Hidden>, Z>("U", seed),
                         drawn<Z>("b", seed), drawn<Peepholes>("p", seed));
}

}  // namespace

std::vector<Mutant> unseen_in_peephole_lstm() {
  using enum Mistake;
  const MutantsOf<PeepholeMistake> mutant{"peephole step", check};
  return {
      mutant.right(),
      mutant("dp_o is averaged over the batch", {factor}, PeepholeMistake::output_averaged),
      mutant("dp_i without c_{t-1}", {derivative}, PeepholeMistake::input_without_memory),
      mutant("dc_t gets dz_o without p_o", {derivative}, PeepholeMistake::path_without_peephole),
      mutant("the path through the output gate comes too late for the other gates", {missing_term},
             PeepholeMistake::path_comes_late),
      mutant("the peepholes are constants", {cut_off}, PeepholeMistake::peepholes_constant),
      mutant("the output gate is recomputed without its peephole", {derivative, other_value},
             PeepholeMistake::gate_without_peephole),
  };
}

}  // namespace hindsight::mutants
