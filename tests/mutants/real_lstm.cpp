// The LSTM's pointwise step as one operation, and mistakes in its backward. In are z = W [x, h], the bias b
// and c', the memory before; out are h and c.
//
//     f = sigmoid(z_f + b_f)   i = sigmoid(z_i + b_i)   g = tanh(z_g + b_g)   o = sigmoid(z_o + b_o)
//     c = f c' + i g           h = o tanh(c)
//
// c is needed twice, by h and by the next step; dc is what comes from there:
//
//     Dc = dc + dh o (1 - tanh(c)^2)
//     dz_f = Dc c' f (1 - f)   dz_i = Dc g i (1 - i)   dz_g = Dc i (1 - g^2)   dz_o = dh tanh(c) o (1 - o)
//     dc' = Dc f               db = sum of dz over the batch
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
using States = Gates<Hidden, Shown, Kept>;

enum class LstmMistake {
  none,
  forget_at_preactivation,  // z_f (1 - z_f)
  candidate_as_sigmoid,     // g (1 - g)
  no_path_through_h,        // Dc = dc
  no_path_from_next_step,   // Dc = dh o (1 - tanh(c)^2)
  path_without_tanh,        // Dc = dc + dh o
  memory_without_forget,    // dc' = Dc
  memory_by_input_gate,     // dc' = Dc i
  memory_detached,          // dc' = 0
  input_and_candidate,      // dz_i and dz_g exchanged
  output_without_tanh,      // dz_o = dh c o (1 - o)
  forget_at_new_memory,     // dz_f = Dc c f (1 - f)
  input_bias_of_forget,     // db_i = db_f
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What one unit of one sequence computes.
struct Unit {
  double z_f, z_i, z_g, z_o;  // with the bias
  double memory;              // c'
  double f = sigmoid(z_f), i = sigmoid(z_i), g = std::tanh(z_g), o = sigmoid(z_o);
  double c = f * memory + i * g;
  double h = o * std::tanh(c);
};

struct UnitGradient {
  double f, i, g, o, memory;
};

UnitGradient backward(LstmMistake mistake, const Unit& u, double dh, double dc) {
  using enum LstmMistake;
  const double y = std::tanh(u.c);
  const double path = dh * u.o * (mistake == path_without_tanh ? 1 : 1 - y * y);
  const double total = mistake == no_path_through_h ? dc : mistake == no_path_from_next_step ? path : dc + path;

  const double at = mistake == forget_at_preactivation ? u.z_f : u.f;
  UnitGradient d{
      .f = total * (mistake == forget_at_new_memory ? u.c : u.memory) * at * (1 - at),
      .i = total * u.g * u.i * (1 - u.i),
      .g = total * u.i * (mistake == candidate_as_sigmoid ? u.g * (1 - u.g) : 1 - u.g * u.g),
      .o = dh * (mistake == output_without_tanh ? u.c : y) * u.o * (1 - u.o),
      .memory = total * (mistake == memory_without_forget ? 1 : mistake == memory_by_input_gate ? u.i : u.f),
  };
  if (mistake == input_and_candidate) std::swap(d.i, d.g);
  return d;
}

Var<double, Batch, States> pointwise(LstmMistake mistake, Var<double, Batch, Z> z, Var<double, Z> b,
                                     Var<double, Batch, Hidden> memory) {
  using enum LstmMistake;
  const auto out = detail::result<double, Batch, States>({Batch::extent, States::extent}, z, b, memory);
  const auto unit = [=](std::size_t n, std::size_t j) {
    const auto sum = [&](auto gate_of_z, auto gate_of_b) { return value(gate_of_z)(n, j) + value(gate_of_b)(0, j); };
    return Unit{.z_f = sum(gate<Forget>(z), gate<Forget>(b)),
                .z_i = sum(gate<Input>(z), gate<Input>(b)),
                .z_g = sum(gate<Candidate>(z), gate<Candidate>(b)),
                .z_o = sum(gate<Output>(z), gate<Output>(b)),
                .memory = value(memory)(n, j)};
  };
  each(value(memory), [&](std::size_t n, std::size_t j) {
    value(gate<Shown>(out))(n, j) = unit(n, j).h;
    value(gate<Kept>(out))(n, j) = unit(n, j).c;
  });
  return detail::record("lstm(%0, %1, %2)", out, [=] {
    each(value(memory), [&](std::size_t n, std::size_t j) {
      const double dh = gradient(gate<Shown>(out))(n, j), dc = gradient(gate<Kept>(out))(n, j);
      const UnitGradient d = backward(mistake, unit(n, j), dh, dc);
      gradient(gate<Forget>(z))(n, j) += d.f;
      gradient(gate<Input>(z))(n, j) += d.i;
      gradient(gate<Candidate>(z))(n, j) += d.g;
      gradient(gate<Output>(z))(n, j) += d.o;
      gradient(gate<Forget>(b))(0, j) += d.f;
      gradient(gate<Input>(b))(0, j) += mistake == input_bias_of_forget ? d.f : d.i;
      gradient(gate<Candidate>(b))(0, j) += d.g;
      gradient(gate<Output>(b))(0, j) += d.o;
      if (mistake != memory_detached) gradient(memory)(n, j) += d.memory;
    });
  }, z, b, memory);
}

GradientReport check(LstmMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto c, auto w, auto u, auto b) {
    std::vector<Var<double, Batch, States>> states;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var z = contract<In>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      states.push_back(pointwise(mistake, z, b, detail::contiguous(c)));
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

std::vector<Mutant> in_lstm() {
  using enum Mistake;
  const MutantsOf<LstmMistake> mutant{"lstm", check};
  return {
      mutant.right(),
      mutant("the forget gate's sigmoid' at the pre-activation", {derivative}, LstmMistake::forget_at_preactivation),
      mutant("the candidate's derivative g (1 - g), as of a sigmoid", {derivative}, LstmMistake::candidate_as_sigmoid),
      mutant("dc without the path through h", {missing_term}, LstmMistake::no_path_through_h),
      mutant("dc without what comes from the next step", {missing_term, cut_off}, LstmMistake::no_path_from_next_step),
      mutant("1 - tanh(c)^2 is forgotten on the path through h", {derivative}, LstmMistake::path_without_tanh),
      mutant("dc_{t-1} without the forget gate", {derivative}, LstmMistake::memory_without_forget),
      mutant("dc_{t-1} with the input gate in place of the forget gate", {other_value, derivative},
             LstmMistake::memory_by_input_gate),
      mutant("the memory is detached", {cut_off}, LstmMistake::memory_detached),
      mutant("input gate and candidate are mixed up", {exchanged}, LstmMistake::input_and_candidate),
      mutant("the output gate from c in place of tanh(c)", {other_value, derivative}, LstmMistake::output_without_tanh),
      mutant("the forget gate from c_t in place of c_{t-1}", {other_value, step_off},
             LstmMistake::forget_at_new_memory),
      mutant("the input gate's bias gets the forget gate's gradient", {exchanged, other_value},
             LstmMistake::input_bias_of_forget),
  };
}

}  // namespace hindsight::mutants
