// EXPECTED: run_in_windows gives the state after all steps; its gradient ends where the last window begins.
// HINT: What does an LSTM carry from step to step? How many ways lead from the last window into the one before?
// SHIPPED: through the memory c
#include "autodiff/backward.hpp"
#include "autodiff/reductions.hpp"
#include EXERCISE
#include "tutorials/exercises/checks/check.hpp"

using namespace hindsight;
namespace {
struct Batch : Axis<1> {};
struct In : Axis<2> {};
struct Hidden : Axis<3> {};
}  // namespace

std::string exercise::check() {
  Lstm<In, Hidden, double> cell;
  initialise(cell, 1);
  for (const std::size_t window : {4, 3}) {
    const std::size_t steps = 10, begin = (steps - 1) / window * window;  // of the last window
    Tape tape;
    std::vector<Var<double, Batch, In>> xs;
    for (std::size_t t = 0; t < steps; ++t) xs.push_back(variable<Batch, In>(noise(2, t + 1)));
    const auto s0 = cell.initial<Batch>();
    auto right = s0;
    for (const auto& x : xs) right = cell(x, right);
    const auto last = run_in_windows(cell, xs, s0, window);
    compare("the state after ten steps", {"h", right.h.values()}, last.h.values());
    Var loss = sum(last.h) + sum(last.c);
    backward(loss);
    const auto size_at = [&](std::size_t t) {
      double size = 0;
      for (const double g : xs[t].gradients()) size += std::abs(g);
      return size;
    };
    if (size_at(begin) == 0)
      fail(text("windows of %zu: nothing reaches the first step of the last "
                "window. A window is cut off before it, and not within.", window));
    if (size_at(begin - 1) != 0)
      fail(text("windows of %zu: the loss at the end should have no gradient at step %zu, which is in the window "
                "before, and it has one of %.2g.\nIs there still a way, through the memory c or through h?",
                window, begin - 1, size_at(begin - 1)));
  }
  return "All that is carried is cut: values pass, gradients end. What lies further back than a window is not learned.";
}
