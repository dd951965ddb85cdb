// A step of Cho's GRU, reset before the product, as one operation with its recurrent weights inside, and mistakes in
// its backward. In are a = W x + b of each gate, the state before h', the gates' U and the candidate's V.
//
//     r = sigmoid(a_r + h' U_r)   z = sigmoid(a_z + h' U_z)   n = tanh(a_n + (r h') V)
//     h = z h' + (1 - z) n
//
//     da_n = dh (1 - z) (1 - n^2)     dk = da_n V^T, of k = r h'
//     da_r = dk h' r (1 - r)          da_z = dh (h' - n) z (1 - z)
//     dh' = dh z + dk r + da_r U_r^T + da_z U_z^T
//     dV = k^T da_n                   dU_r = h'^T da_r       dU_z = h'^T da_z
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
using Z = Gates<Hidden, Reset, Update, Candidate>;
using Recurrent = Gates<Hidden, Reset, Update>;

enum class GruMistake {
  none,
  v_from_whole_state,    // dV = h'^T da_n
  no_path_through_k,     // dh' without dk r
  v_not_transposed,      // dk = da_n V
  other_convention,      // the backward of h = (1 - z) h' + z n
  reset_without_state,   // da_r = dk r (1 - r)
  update_without_slope,  // da_z = dh (h' - n)
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

Var<double, Batch, Hidden> step(GruMistake mistake, Var<double, Batch, Z> a, Var<double, Batch, Hidden> state,
                                Var<double, From<Hidden>, Recurrent> u, Var<double, From<Hidden>, Hidden> v) {
  using enum GruMistake;
  const auto result = detail::result<double, Batch, Hidden>(state.extents, a, state, u, v);
  const auto room = [] { return scratch(Batch::extent, Hidden::extent); };
  const Matrix old = value(state), h = value(result), r = room(), z = room(), n = room(), k = room();
  const auto activate = [](auto function, const Matrix& y, const Matrix& from, const Matrix& its_a, const Matrix& m) {
    each(y, [&](std::size_t b, std::size_t j) { y(b, j) = its_a(b, j); });
    add_product(from, m, y);
    each(y, [&](std::size_t b, std::size_t j) { y(b, j) = function(y(b, j)); });
  };
  activate(sigmoid, r, old, value(gate<Reset>(a)), value(gate<Reset>(u)));
  activate(sigmoid, z, old, value(gate<Update>(a)), value(gate<Update>(u)));
  each(k, [&](std::size_t b, std::size_t j) { k(b, j) = r(b, j) * old(b, j); });
  activate([](double x) { return std::tanh(x); }, n, k, value(gate<Candidate>(a)), value(v));
  each(h, [&](std::size_t b, std::size_t j) { h(b, j) = z(b, j) * old(b, j) + (1 - z(b, j)) * n(b, j); });

  const Matrix da_r = room(), da_z = room(), da_n = room(), dk = room();
  return detail::record("gru_step(%0, %1, %2, %3)", result, [=] {
    const Matrix dh = gradient(result), dstate = gradient(state);
    each(h, [&](std::size_t b, std::size_t j) {
      const double kept = mistake == other_convention ? 1 - z(b, j) : z(b, j);
      const double difference = mistake == other_convention ? n(b, j) - old(b, j) : old(b, j) - n(b, j);
      const double slope = mistake == update_without_slope ? 1 : z(b, j) * (1 - z(b, j));
      da_n(b, j) = dh(b, j) * (1 - kept) * (1 - n(b, j) * n(b, j));
      da_z(b, j) = dh(b, j) * difference * slope;
      dstate(b, j) += dh(b, j) * kept;
    });
    clear(dk);
    add_product(da_n, mistake == v_not_transposed ? value(v) : value(v).transposed(), dk);
    each(dk, [&](std::size_t b, std::size_t j) {
      da_r(b, j) = dk(b, j) * (mistake == reset_without_state ? 1 : old(b, j)) * r(b, j) * (1 - r(b, j));
      if (mistake != no_path_through_k) dstate(b, j) += dk(b, j) * r(b, j);
    });
    add_product(da_r, value(gate<Reset>(u)).transposed(), dstate);
    add_product(da_z, value(gate<Update>(u)).transposed(), dstate);

    add_product((mistake == v_from_whole_state ? old : k).transposed(), da_n, gradient(v));
    add_product(old.transposed(), da_r, gradient(gate<Reset>(u)));
    add_product(old.transposed(), da_z, gradient(gate<Update>(u)));
    add(da_r, gradient(gate<Reset>(a)));
    add(da_z, gradient(gate<Update>(a)));
    add(da_n, gradient(gate<Candidate>(a)));
  }, a, state, u, v);
}

GradientReport check(GruMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto h, auto w, auto b, auto u, auto v) {
    std::vector<Var<double, Batch, Hidden>> hs;
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var a = contract<In>(at<Time>(xs, t), w) + b;
      h = step(mistake, a, h, u, v);
      hs.push_back(h);
    }
    return stack<Time>(hs);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("h", seed),
                         drawn<In, Z>("W", seed), drawn<Z>("b", seed), drawn<From<Hidden>, Recurrent>("U", seed),
                         drawn<From<Hidden>, Hidden>("V", seed));
}

}  // namespace

std::vector<Mutant> unseen_in_gru() {
  using enum Mistake;
  const MutantsOf<GruMistake> mutant{"gru step", check};
  return {
      mutant.right(),
      mutant("dV from h_{t-1} in place of r h_{t-1}", {other_value, derivative}, GruMistake::v_from_whole_state),
      mutant("dh_{t-1} without the path through r h_{t-1}", {missing_term}, GruMistake::no_path_through_k),
      mutant("the candidate's V is not transposed", {transposed}, GruMistake::v_not_transposed),
      mutant("the backward is that of h = (1 - z) h' + z n", {sign, derivative}, GruMistake::other_convention),
      mutant("the reset gate without h_{t-1}", {derivative}, GruMistake::reset_without_state),
      mutant("the update gate without z (1 - z)", {derivative}, GruMistake::update_without_slope),
  };
}

}  // namespace hindsight::mutants
