// The GRU's pointwise step (reset after the product) as one operation, and mistakes in its backward. In are
// a = W x + b, u = U h' + c and h', the state before; out is h.
//
//     r = sigmoid(a_r + u_r)   z = sigmoid(a_z + u_z)   n = tanh(a_n + r u_n)
//     h = z h' + (1 - z) n
//
//     da_n = dh (1 - z) (1 - n^2)         du_n = da_n r
//     da_z = dh (h' - n) z (1 - z)        du_z = da_z
//     da_r = da_n u_n r (1 - r)           du_r = da_r        dh' = dh z
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
using Z = Gates<Hidden, Reset, Update, Candidate>;

enum class GruMistake {
  none,
  no_direct_path,        // dh' = 0
  state_overwritten,     // dh' is assigned, where h' is an output too
  candidate_unweighted,  // da_n = dh (1 - n^2)
  update_backwards,      // n - h' for h' - n
  update_at_reset,       // da_z with r (1 - r)
  hidden_without_reset,  // du_n = da_n
  reset_from_state,      // da_r = da_n h' r (1 - r), as if r multiplied the state
  reset_and_update,      // da_r and da_z exchanged
  reset_without_tanh,    // da_r from dh (1 - z), without 1 - n^2
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// What one unit of one sequence computes.
struct Unit {
  double a_r, a_z, a_n, u_r, u_z, u_n;
  double state;  // h'
  double r = sigmoid(a_r + u_r), z = sigmoid(a_z + u_z), n = std::tanh(a_n + r * u_n);
  double h = z * state + (1 - z) * n;
};

struct UnitGradient {
  double r, z, a_n, u_n, state;
};

UnitGradient backward(GruMistake mistake, const Unit& u, double dh) {
  using enum GruMistake;
  const double candidate = dh * (mistake == candidate_unweighted ? 1 : 1 - u.z);
  const double a_n = candidate * (1 - u.n * u.n);
  const double y = mistake == update_at_reset ? u.r : u.z;
  UnitGradient d{
      .r = (mistake == reset_without_tanh ? candidate : a_n) * (mistake == reset_from_state ? u.state : u.u_n) *
           u.r * (1 - u.r),
      .z = dh * (mistake == update_backwards ? u.n - u.state : u.state - u.n) * y * (1 - y),
      .a_n = a_n,
      .u_n = a_n * (mistake == hidden_without_reset ? 1 : u.r),
      .state = mistake == no_direct_path ? 0 : dh * u.z,
  };
  if (mistake == reset_and_update) std::swap(d.r, d.z);
  return d;
}

Var<double, Batch, Hidden> pointwise(GruMistake mistake, Var<double, Batch, Z> a, Var<double, Batch, Z> u,
                                     Var<double, Batch, Hidden> state) {
  const auto out = detail::result<double, Batch, Hidden>(state.extents, a, u, state);
  const auto unit = [=](std::size_t b, std::size_t j) {
    return Unit{.a_r = value(gate<Reset>(a))(b, j),
                .a_z = value(gate<Update>(a))(b, j),
                .a_n = value(gate<Candidate>(a))(b, j),
                .u_r = value(gate<Reset>(u))(b, j),
                .u_z = value(gate<Update>(u))(b, j),
                .u_n = value(gate<Candidate>(u))(b, j),
                .state = value(state)(b, j)};
  };
  each(value(out), [&](std::size_t b, std::size_t j) { value(out)(b, j) = unit(b, j).h; });
  return detail::record("gru(%0, %1, %2)", out, [=] {
    if (mistake == GruMistake::state_overwritten) clear(gradient(state));
    each(value(out), [&](std::size_t b, std::size_t j) {
      const UnitGradient d = backward(mistake, unit(b, j), gradient(out)(b, j));
      for (const auto& both : {a, u}) {
        gradient(gate<Reset>(both))(b, j) += d.r;
        gradient(gate<Update>(both))(b, j) += d.z;
      }
      gradient(gate<Candidate>(a))(b, j) += d.a_n;
      gradient(gate<Candidate>(u))(b, j) += d.u_n;
      gradient(state)(b, j) += d.state;
    });
  }, a, u, state);
}

GradientReport check(GruMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto w, auto bias, auto u, auto hidden_bias) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var from_input = contract<In>(at<Time>(xs, t), w) + bias;
      Var from_hidden = contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u) + hidden_bias;
      h = pointwise(mistake, from_input, from_hidden, h);
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Z>("W", seed), drawn<Z>("b", seed), drawn<From<Hidden>, Z>("U", seed),
                         drawn<Z>("c", seed));
}

}  // namespace

std::vector<Mutant> in_gru() {
  using enum Mistake;
  const MutantsOf<GruMistake> mutant{"gru", check};
  return {
      mutant.right(),
      mutant("dh_{t-1} without the direct path z dh", {cut_off, missing_term}, GruMistake::no_direct_path),
      mutant("dh_{t-1} assigned, not added", {overwritten}, GruMistake::state_overwritten),
      mutant("the candidate without 1 - z", {derivative}, GruMistake::candidate_unweighted),
      mutant("the update gate from n - h_{t-1}, the wrong way round", {sign}, GruMistake::update_backwards),
      mutant("the update gate's sigmoid' at the reset gate", {derivative, other_value}, GruMistake::update_at_reset),
      mutant("the candidate's hidden part without the reset gate", {derivative}, GruMistake::hidden_without_reset),
      mutant("the reset gate from h_{t-1} in place of U h_{t-1}", {other_value}, GruMistake::reset_from_state),
      mutant("reset and update gate are mixed up", {exchanged}, GruMistake::reset_and_update),
      mutant("the reset gate without 1 - n^2", {derivative}, GruMistake::reset_without_tanh),
  };
}

}  // namespace hindsight::mutants
