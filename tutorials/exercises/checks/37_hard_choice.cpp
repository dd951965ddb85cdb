// EXPECTED: read returns a weighted sum of the states h, through which every score gets a gradient.
// HINT: Move a score by a millionth. What becomes of the arg max, and what is its slope? Which weights do move?
// SHIPPED: no score gets any gradient
#include "autodiff/backward.hpp"
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

using namespace hindsight;
namespace {
struct Source : Axis<4> {};
struct Batch : Axis<2> {};
struct Hidden : Axis<3> {};
}  // namespace

std::string exercise::check() {
  Tape tape;
  const auto e = variable<Source, Batch>(noise(8, 1, 2));
  const auto h = variable<Source, Batch, Hidden>(noise(24, 2));
  const auto c = read<Source, Batch>(e, h);
  if (!c.has_gradient()) fail("c depends on nothing that is differentiated: neither scores nor states can learn.");
  double size = 0;
  for (const double slope : jacobian(c, e)) size += std::abs(slope);
  if (size == 0)
    fail("dL/de is 0 for every loss: no score gets any gradient, so nothing tells it where it should have looked.\n"
         "The choice is made outside of the tape; and an arg max has no slope anyway.");
  Vector right(6);
  for (std::size_t b = 0; b < 2; ++b) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += std::exp(e.at(i, b));
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t k = 0; k < 3; ++k) right[b * 3 + k] += std::exp(e.at(i, b)) / sum * h.at(i, b, k);
  }
  compare("the context, weighted by the softmax of the scores", {"c", right, 3}, c.values());
  return "A hard choice cuts the gradient; a weighted sum lets every position say how much better it would have been.";
}
