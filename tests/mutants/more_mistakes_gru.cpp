// A step of the GRU as one operation, with its weights inside and its reset before the product, and mistakes in its
// backward. z = 1 takes the candidate, as in Chung et al. 2014; h' is the state before.
//
//     z = sigmoid(x W_z + h' U_z + b_z)     r = sigmoid(x W_r + h' U_r + b_r)
//     n = tanh(x W_n + (r h') U_n + b_n)    h = (1 - z) h' + z n
//
//     da_z = dh (n - h') z (1 - z)   da_n = dh z (1 - n^2)   m = da_n U_n^T   da_r = m h' r (1 - r)
//     dh' = dh (1 - z) + m r + da_z U_z^T + da_r U_r^T
//     dU_z = h'^T da_z     dU_r = h'^T da_r     dU_n = (r h')^T da_n
//     dx = da W^T          dW = x^T da          db = sum of da over the batch
#include <cmath>

#include "autodiff/join.hpp"
#include "layers/gates.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<3> {};
struct Batch : Axis<2> {};
struct In : Axis<2> {};
struct Hidden : Axis<4> {};
using Z = Gates<Hidden, Update, Reset, Candidate>;

enum class GruStepMistake {
  none,
  kept_by_update,          // dh' = dh z + ..
  no_path_through_reset,   // dh' without m r
  path_without_reset,      // dh' = .. + m + ..
  no_path_through_update,  // dh' without da_z U_z^T
  update_as_tanh,          // 1 - z^2
  reset_from_candidate,    // da_r = m n r (1 - r)
  unreset_state,           // dU_n = h'^T da_n
  u_not_transposed,        // m = da_n U_n
  du_transposed,           // dU_z = da_z^T h'
  update_and_reset,        // dU_z and dU_r exchanged
  input_without_update,    // dx without da_z W_z^T
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Var<double, Batch, Hidden> step(GruStepMistake mistake, Var<double, Batch, In> x, Var<double, Batch, Hidden> state,
                                Var<double, In, Z> w, Var<double, From<Hidden>, Z> u, Var<double, Z> b) {
  using enum GruStepMistake;
  const auto out = detail::result<double, Batch, Hidden>(state.extents, x, state, w, u, b);
  const auto gates = detail::result<double, Batch, Z>({Batch::extent, Z::extent});
  const auto da = detail::result<double, Batch, Z>({Batch::extent, Z::extent});
  const Matrix z = value(gate<Update>(gates)), r = value(gate<Reset>(gates)), n = value(gate<Candidate>(gates));
  const Matrix h = value(state), reset = scratch(h.rows, h.columns), m = scratch(h.rows, h.columns);
  each(value(gates), [&](std::size_t i, std::size_t k) { value(gates)(i, k) = value(b)(0, k); });
  add_product(value(x), value(w), value(gates));
  add_product(h, value(gate<Update>(u)), z);
  add_product(h, value(gate<Reset>(u)), r);
  each(h, [&](std::size_t i, std::size_t j) {
    z(i, j) = sigmoid(z(i, j));
    r(i, j) = sigmoid(r(i, j));
    reset(i, j) = r(i, j) * h(i, j);
  });
  add_product(reset, value(gate<Candidate>(u)), n);
  each(h, [&](std::size_t i, std::size_t j) {
    n(i, j) = std::tanh(n(i, j));
    value(out)(i, j) = (1 - z(i, j)) * h(i, j) + z(i, j) * n(i, j);
  });

  return detail::record("gru_step(%0, %1, %2, %3, %4)", out, [=] {
    const Matrix dh = gradient(out), before = gradient(state), candidate = value(gate<Candidate>(u));
    const Matrix da_z = value(gate<Update>(da)), da_r = value(gate<Reset>(da)), da_n = value(gate<Candidate>(da));
    each(h, [&](std::size_t i, std::size_t j) {
      const double slope = mistake == update_as_tanh ? 1 - z(i, j) * z(i, j) : z(i, j) * (1 - z(i, j));
      da_z(i, j) = dh(i, j) * (n(i, j) - h(i, j)) * slope;
      da_n(i, j) = dh(i, j) * z(i, j) * (1 - n(i, j) * n(i, j));
    });
    clear(m);
    add_product(da_n, mistake == u_not_transposed ? candidate : candidate.transposed(), m);
    each(h, [&](std::size_t i, std::size_t j) {
      da_r(i, j) = m(i, j) * (mistake == reset_from_candidate ? n : h)(i, j) * r(i, j) * (1 - r(i, j));
      const double through_reset =
          mistake == no_path_through_reset ? 0 : mistake == path_without_reset ? m(i, j) : m(i, j) * r(i, j);
      before(i, j) += dh(i, j) * (mistake == kept_by_update ? z(i, j) : 1 - z(i, j)) + through_reset;
    });
    if (mistake != no_path_through_update) add_product(da_z, value(gate<Update>(u)).transposed(), before);
    add_product(da_r, value(gate<Reset>(u)).transposed(), before);

    const Matrix du_z = gradient(gate<Update>(u)), du_r = gradient(gate<Reset>(u));
    add_product(h.transposed(), da_z,
                mistake == update_and_reset ? du_r : mistake == du_transposed ? du_z.transposed() : du_z);
    add_product(h.transposed(), da_r, mistake == update_and_reset ? du_z : du_r);
    add_product((mistake == unreset_state ? h : reset).transposed(), da_n, gradient(gate<Candidate>(u)));

    add_product(value(x).transposed(), value(da), gradient(w));
    add_rows(value(da), gradient(b));
    if (mistake == input_without_update) clear(da_z);
    add_product(value(da), value(w).transposed(), gradient(x));
  }, x, state, w, u, b);
}

GradientReport check(GruStepMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto w, auto u, auto b) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      h = step(mistake, at<Time>(xs, t), h, w, u, b);
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Z>("W", seed), drawn<From<Hidden>, Z>("U", seed), drawn<Z>("b", seed));
}

}  // namespace

std::vector<Mutant> in_gru_step() {
  using enum Mistake;
  const MutantsOf<GruStepMistake> mutant{"gru step with its weights", check};
  return {
      mutant.right(),
      mutant("dh_{t-1} by z in place of 1 - z", {derivative, other_value}, GruStepMistake::kept_by_update),
      mutant("dh_{t-1} without the path through r h_{t-1}", {missing_term}, GruStepMistake::no_path_through_reset),
      mutant("dh_{t-1} on the path through r h_{t-1} without r", {derivative}, GruStepMistake::path_without_reset),
      mutant("dh_{t-1} without the path through the update gate", {missing_term},
             GruStepMistake::no_path_through_update),
      mutant("the update gate with 1 - z^2, as of a tanh", {derivative}, GruStepMistake::update_as_tanh),
      mutant("the reset gate from n in place of h_{t-1}", {other_value}, GruStepMistake::reset_from_candidate),
      mutant("dU_n from h_{t-1} in place of r h_{t-1}", {other_value, derivative}, GruStepMistake::unreset_state),
      mutant("back through the candidate by U_n in place of U_n^T", {transposed}, GruStepMistake::u_not_transposed),
      mutant("dU_z = da^T h in place of h^T da", {transposed}, GruStepMistake::du_transposed),
      mutant("dU of update and reset gate are mixed up", {exchanged}, GruStepMistake::update_and_reset),
      mutant("dx without the update gate's part", {missing_term}, GruStepMistake::input_without_update),
  };
}

}  // namespace hindsight::mutants
