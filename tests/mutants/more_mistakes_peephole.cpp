// A gate with a peephole as one operation, and mistakes in its backward. In are a = x W + h U, the memory c and the
// peephole p; out is the gate. It is the forget gate of an LSTM whose other gates have no peepholes.
//
//     y = sigmoid(a + p c)
//
//     da = dy y (1 - y)       dc = da p       dp = sum of da c over the batch
#include <cmath>

#include "autodiff/join.hpp"
#include "layers/gates.hpp"
#include "tests/mutants/more_mistakes.hpp"
#include "tests/mutants/real_matrix.hpp"

namespace hindsight::mutants {
namespace {

struct Time : Axis<4> {};
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<4> {};
using Z = Gates<Hidden, Forget, Candidate>;

enum class GateMistake {
  none,
  truncated,           // dc = 0
  without_peephole,    // dc = da
  past_the_sigmoid,    // dp = sum of dy c
  peephole_from_gate,  // dp = sum of da y
  averaged,            // dp = mean of da c
};

Var<double, Batch, Hidden> peephole_gate(GateMistake mistake, Var<double, Batch, Hidden> a,
                                         Var<double, Batch, Hidden> c, Var<double, Hidden> p) {
  using enum GateMistake;
  const auto result = detail::result<double, Batch, Hidden>(c.extents, a, c, p);
  const Matrix y = value(result);
  each(y, [&](std::size_t n, std::size_t j) {
    y(n, j) = 1 / (1 + std::exp(-value(a)(n, j) - value(p)(0, j) * value(c)(n, j)));
  });
  return detail::record("peephole_gate(%0, %1, %2)", result, [=] {
    each(y, [&](std::size_t n, std::size_t j) {
      const double dy = gradient(result)(n, j), da = dy * y(n, j) * (1 - y(n, j));
      gradient(a)(n, j) += da;
      if (mistake != truncated) gradient(c)(n, j) += da * (mistake == without_peephole ? 1 : value(p)(0, j));
      gradient(p)(0, j) += (mistake == past_the_sigmoid ? dy : da) *
                           (mistake == peephole_from_gate ? y : value(c))(n, j) /
                           (mistake == averaged ? Batch::extent : 1);
    });
  }, a, c, p);
}

GradientReport check(GateMistake mistake, std::uint64_t seed) {
  const auto f = [mistake](auto xs, auto c, auto w, auto u, auto p) {
    std::vector<Var<double, Batch, Hidden>> states;
    Var h = tanh(c);
    for (std::size_t t = 0; t < Time::extent; ++t) {
      Var z = contract<In>(at<Time>(xs, t), w) + contract<From<Hidden>>(rename<Hidden, From<Hidden>>(h), u);
      Var keep = peephole_gate(mistake, detail::contiguous(gate<Forget>(z)), c, p);
      c = keep * c + tanh(gate<Candidate>(z));
      h = tanh(c);
      states.push_back(h);
    }
    return stack<Time>(states);
  };
  return check_gradients({.seed = seed}, f, drawn<Time, Batch, In>("xs", seed), drawn<Batch, Hidden>("c", seed),
                         drawn<In, Z>("W", seed), drawn<From<Hidden>, Z>("U", seed), drawn<Hidden>("p", seed));
}

}  // namespace

std::vector<Mutant> in_peephole_gate() {
  using enum Mistake;
  const MutantsOf<GateMistake> mutant{"peephole gate", check};
  return {
      mutant.right(),
      mutant("the memory gets nothing through the peephole, as the truncated gradient has it", {cut_off},
             GateMistake::truncated),
      mutant("the memory's gradient without p", {derivative}, GateMistake::without_peephole),
      mutant("dp without y (1 - y)", {derivative}, GateMistake::past_the_sigmoid),
      mutant("dp from the gate in place of the memory", {other_value}, GateMistake::peephole_from_gate),
      mutant("dp is averaged over the batch", {factor}, GateMistake::averaged),
  };
}

}  // namespace hindsight::mutants
