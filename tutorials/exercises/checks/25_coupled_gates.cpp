// EXPECTED: CoupledLstm returns State{h, c} as its five equations say.
// HINT: Begin with Var z = from_input(x) + from_hidden(s.h) + bias; then a line for each equation, and return
//   State{h, c}.
// SHIPPED: The state is the old one
#include "autodiff/gradcheck.hpp"
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

namespace {
struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Hidden : Axis<4> {};
}  // namespace

std::string exercise::check() {
  CoupledLstm<In, Hidden> cell;
  initialise(cell, 1);
  initialise_uniform(cell.bias, 1, Random{1});
  const Vector xs = noise(6, 1), hs = noise(8, 2), cs = noise(8, 3);
  const auto W = cell.from_input.weight.values(), U = cell.from_hidden.weight.values(), b = cell.bias.values();
  Vector c, h, additive;
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t k = 0; k < 4; ++k) {
      const auto z = [&](std::size_t gate) {
        double sum = b[gate * 4 + k];
        for (std::size_t i = 0; i < 3; ++i) sum += xs[s * 3 + i] * W[i * 12 + gate * 4 + k];
        for (std::size_t j = 0; j < 4; ++j) sum += hs[s * 4 + j] * U[j * 12 + gate * 4 + k];
        return sum;
      };
      const double f = 1 / (1 + std::exp(-z(0))), g = std::tanh(z(1)), o = 1 / (1 + std::exp(-z(2)));
      c.push_back(f * cs[s * 4 + k] + (1 - f) * g);
      additive.push_back(f * cs[s * 4 + k] + g);
      h.push_back(o * std::tanh(c.back()));
    }
  {
    Tape tape;
    const auto next = cell(constant<Batch, In>(xs), State{constant<Batch, Hidden>(hs), constant<Batch, Hidden>(cs)});
    compare("the memory after a step", {"c", c, 4}, next.c.values(),
            {{"c", cs, "The state is the old one: nothing is computed yet."},
             {"c", additive, "The candidate is written whole; its share is 1 - f."}});
    compare("what is shown after a step", {"h", h, 4}, next.h.values());
  }
  const auto report = check_gradients(
      [&](auto x, auto h0, auto c0) {
        const auto next = cell(x, State{h0, c0});
        return next.h + next.c;
      },
      cell, random_input<Batch, In>("x"), random_input<Batch, Hidden>("h"), random_input<Batch, Hidden>("c"));
  if (!report.ok()) fail("The values are right and the gradient is not: is something detached?\n" + report.text());
  return "You wrote a cell, and did not write its backward: " + report.text();
}
