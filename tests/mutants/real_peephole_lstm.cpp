// The peephole LSTM's pointwise step as one operation, and mistakes in its backward. In are z = W [x, h] + b,
// the memory before c', and the peepholes p; out are h and c.
//
//     f = sigmoid(z_f + p_f c')   i = sigmoid(z_i + p_i c')   g = tanh(z_g)
//     c = f c' + i g              o = sigmoid(z_o + p_o c)    h = o tanh(c)
//
// The output gate sees the new memory, so its gradient comes first:
//
//     dz_o = dh tanh(c) o (1 - o)      Dc = dc + dh o (1 - tanh(c)^2) + dz_o p_o
//     dz_f = Dc c' f (1 - f)           dz_i = Dc g i (1 - i)       dz_g = Dc i (1 - g^2)
//     dc' = Dc f + dz_f p_f + dz_i p_i
//     dp_f = dz_f c'                   dp_i = dz_i c'              dp_o = dz_o c      summed over the batch
#include <cmath>
#include <utility>

#include "autodiff/join.hpp"
#include "layers/gates.hpp"
#include "tests/mutants/real_matrix.hpp"
#include "tests/mutants/real_mistakes.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<4> {};
struct Hidden : Axis<3> {};
struct Shown;
struct Kept;
using Z = Gates<Hidden, Forget, Input, Candidate, Output>;
using Peepholes = Gates<Hidden, Forget, Input, Output>;
using States = Gates<Hidden, Shown, Kept>;

enum class PeepholeMistake {
  none,
  forget_from_new_memory,  // dp_f = dz_f c
  output_from_old_memory,  // dp_o = dz_o c'
  no_path_through_output,  // Dc without dz_o p_o
  no_path_through_gates,   // dc' = Dc f
  forget_by_input,         // dc' = Dc f + dz_f p_i + dz_i p_i
  last_row,                // dp_i of the last sequence
  forget_and_input,        // dp_f and dp_i exchanged
  overwritten,             // dp =, where more steps are to come
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What one unit of one sequence computes.
struct Unit {
  double z_f, z_i, z_g, z_o;
  double memory;         // c'
  double p_f, p_i, p_o;  // its peepholes
  double f = sigmoid(z_f + p_f * memory), i = sigmoid(z_i + p_i * memory), g = std::tanh(z_g);
  double c = f * memory + i * g;
  double o = sigmoid(z_o + p_o * c);
  double h = o * std::tanh(c);
};

struct UnitGradient {
  double f, i, g, o, memory, p_f, p_i, p_o;
};

UnitGradient backward(PeepholeMistake mistake, const Unit& u, double dh, double dc) {
  using enum PeepholeMistake;
  const double y = std::tanh(u.c);
  const double o = dh * y * u.o * (1 - u.o);
  const double total = dc + dh * u.o * (1 - y * y) + (mistake == no_path_through_output ? 0 : o * u.p_o);
  const double f = total * u.memory * u.f * (1 - u.f);
  const double i = total * u.g * u.i * (1 - u.i);
  const double through_gates = f * (mistake == forget_by_input ? u.p_i : u.p_f) + i * u.p_i;
  UnitGradient d{
      .f = f,
      .i = i,
      .g = total * u.i * (1 - u.g * u.g),
      .o = o,
      .memory = total * u.f + (mistake == no_path_through_gates ? 0 : through_gates),
      .p_f = f * (mistake == forget_from_new_memory ? u.c : u.memory),
      .p_i = i * u.memory,
      .p_o = o * (mistake == output_from_old_memory ? u.memory : u.c),
  };
  if (mistake == forget_and_input) std::swap(d.p_f, d.p_i);
  return d;
}

Var<double, Batch, States> pointwise(PeepholeMistake mistake, Var<double, Batch, Z> z,
                                     Var<double, Batch, Hidden> memory, Var<double, Peepholes> p) {
  const auto out = detail::result<double, Batch, States>({Batch::extent, States::extent}, z, memory, p);
  const auto unit = [=](std::size_t n, std::size_t j) {
    return Unit{.z_f = value(gate<Forget>(z))(n, j),
                .z_i = value(gate<Input>(z))(n, j),
                .z_g = value(gate<Candidate>(z))(n, j),
                .z_o = value(gate<Output>(z))(n, j),
                .memory = value(memory)(n, j),
                .p_f = value(gate<Forget>(p))(0, j),
                .p_i = value(gate<Input>(p))(0, j),
                .p_o = value(gate<Output>(p))(0, j)};
  };
  each(value(memory), [&](std::size_t n, std::size_t j) {
    value(gate<Shown>(out))(n, j) = unit(n, j).h;
    value(gate<Kept>(out))(n, j) = unit(n, j).c;
  });
  return detail::record("peephole_lstm(%0, %1, %2)", out, [=] {
    if (mistake == PeepholeMistake::overwritten) clear(gradient(p));
    each(value(memory), [&](std::size_t n, std::size_t j) {
      const double dh = gradient(gate<Shown>(out))(n, j), dc = gradient(gate<Kept>(out))(n, j);
      const UnitGradient d = backward(mistake, unit(n, j), dh, dc);
      gradient(gate<Forget>(z))(n, j) += d.f;
      gradient(gate<Input>(z))(n, j) += d.i;
      gradient(gate<Candidate>(z))(n, j) += d.g;
      gradient(gate<Output>(z))(n, j) += d.o;
      gradient(memory)(n, j) += d.memory;
      gradient(gate<Forget>(p))(0, j) += d.p_f;
      if (mistake != PeepholeMistake::last_row || n + 1 == Batch::extent) gradient(gate<Input>(p))(0, j) += d.p_i;
      gradient(gate<Output>(p))(0, j) += d.p_o;
    });
  }, z, memory, p);
}

GradientReport check(PeepholeMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto c, auto w, auto u, auto p) {
    std::vector<Var<double, Batch, States>> states;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var z = contract<In>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      states.push_back(pointwise(mistake, z, detail::contiguous(c), p));
      h = gate<Shown>(states.back());
      c = gate<Kept>(states.back());
    }
    return stack<Time>(states);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<Batch, Hidden>("c", seed), drawn<In, Z>("W", seed), drawn<From<Hidden>, Z>("U", seed),
                         drawn<Peepholes>("p", seed));
}

}  // namespace

std::vector<Mutant> in_peephole_lstm() {
  using enum Mistake;
  const MutantsOf<PeepholeMistake> mutant{"peephole lstm", check};
  return {
      mutant.right(),
      mutant("dp_f from c_t in place of c_{t-1}", {other_value, step_off}, PeepholeMistake::forget_from_new_memory),
      mutant("dp_o from c_{t-1} in place of c_t", {other_value, step_off}, PeepholeMistake::output_from_old_memory),
      mutant("dc_t without the path through the output gate", {missing_term}, PeepholeMistake::no_path_through_output),
      mutant("dc_{t-1} without the paths through the gates", {missing_term}, PeepholeMistake::no_path_through_gates),
      mutant("dc_{t-1} with p_i for both gates", {other_value}, PeepholeMistake::forget_by_input),
      mutant("dp_i from the last row of the batch only", {not_reduced}, PeepholeMistake::last_row),
      mutant("dp_f and dp_i are mixed up", {exchanged}, PeepholeMistake::forget_and_input),
      mutant("dp is assigned at each step, not added", {overwritten}, PeepholeMistake::overwritten),
  };
}

}  // namespace hindsight::mutants
