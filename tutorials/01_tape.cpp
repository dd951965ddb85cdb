// 1. The tape: what is recorded, and how it is walked backwards
//
// A program computes; the tape writes down each named statement; walked in reverse, it gives the
// derivative of the last number by every number before it. Nothing here knows of neural nets.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "autodiff/backward.hpp"
#include "autodiff/inspect.hpp"
#include "autodiff/reductions.hpp"
#include "models/atomic_file.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Batch : Axis<2> {};
struct In : Axis<3> {};
struct Out : Axis<2> {};

// y = sin(x) x^2 at x = 1.5: dy/dx = cos(x) x^2 + 2 x sin(x), by hand.
double scalar_error() {
  Tape tape;
  const double x0 = 1.5;
  auto x = named("x", variable(x0));
  Var square_of_x = x * x;            // one entry
  Var y = sin(x) * square_of_x;       // another; it reads both
  backward(y);

  const double by_hand = std::cos(x0) * x0 * x0 + 2 * x0 * std::sin(x0);
  std::printf("A number.  y = sin(x) x^2 at x = %.1f\n", x0);
  std::printf("  the tape says dy/dx = %.15f\n", x.gradient_at());
  std::printf("  by hand               %.15f\n", by_hand);
  std::printf("  recorded:\n%s\n", list(tape).c_str());
  return std::abs(x.gradient_at() - by_hand);
}

// An expression that is not named is not recorded. `auto` keeps the recipe, `Var` cooks it.
std::size_t statements_of_one_line() {
  Tape tape;
  auto x = variable<Batch, In>({0.1, -0.4, 0.3, 0.7, 0.2, -0.9});
  const std::size_t before = tape.size();
  auto recipe = sigmoid(x) * tanh(x) + 2 * x;  // nothing computed
  Var y = recipe;                              // one loop forwards, one entry on the tape
  const std::size_t entries = tape.size() - before;
  std::printf("A recipe.  sigmoid(x) * tanh(x) + 2 * x, given a name, is %zu entry: five operations,\n", entries);
  std::printf("  %zu values, ", y.size());
  std::printf("one loop forwards, and one backwards that the compiler derives from the same line.\n\n");
  return entries;
}

// loss = mean((tanh(x W + b) - target)^2): the gradient is the slope, as a small step shows.
double tensor_error() {
  Parameter<double, In, Out> W;
  Parameter<double, Out> b;
  {
    auto edit = W.edit();
    for (std::size_t i = 0; i < edit.size(); ++i) edit[i] = 0.3 * std::sin(1.0 + static_cast<double>(i));
  }
  const auto loss_of_weights = [&] {
    auto x = named("x", constant<Batch, In>({0.1, -0.4, 0.3, 0.7, 0.2, -0.9}));
    auto target = named("target", constant<Batch, Out>({1.0, -1.0, 0.5, 0.0}));
    Var z = contract<In>(x, W) + b;     // one entry, one buffer
    Var loss = mean(square(tanh(z) - target));
    return loss;
  };

  Tape tape;
  Var loss = loss_of_weights();
  backward(loss);
  tutorial::Table table("01_tape", {"element of W", "tape", "small step"});
  double worst = 0;
  for (std::size_t i = 0; i < W.size(); ++i) {
    const double h = 1e-5, w = W.values()[i];
    const auto at = [&](double value) {
      W.edit()[i] = value;
      Tape other;
      return loss_of_weights().item();
    };
    const double slope = (at(w + h) - at(w - h)) / (2 * h);
    W.edit()[i] = w;
    table.row({static_cast<double>(i), W.gradients()[i], slope});
    worst = std::max(worst, std::abs(W.gradients()[i] - slope));
  }
  std::printf("A layer.  loss = mean((tanh(x W + b) - target)^2)\n");
  table.print();
  std::printf("  recorded:\n%s\n", list(tape).c_str());
  table.save();

  write_file_atomically("out/01_tape.dot", draw(tape));
  const bool drawn = std::system("dot -Tsvg out/01_tape.dot -o out/01_tape.svg 2>/dev/null") == 0;
  std::printf("out/01_tape.dot\n%s\n", drawn ? "out/01_tape.svg: what was recorded, each statement with its expression and its axes"
                                      : "not drawn, graphviz is not installed: out/01_tape.svg");
  return worst;
}

// What is misused is an error, never a number.
void misuse() {
  Tape tape;
  auto x = variable(2.0);
  Var y = x * x;
  backward(y);
  std::printf("\nMisuse.\n");
  for (const auto& attempt : {+[](Var<double> v) { backward(v); }, +[](Var<double> v) {
         Tape::current().reset();
         backward(v);
       }}) {
    try {
      attempt(y);
    } catch (const TapeError& error) {
      std::printf("  refused: %s\n", error.what());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("The tape: scalar and tensor examples, the recorded statements, the graph.");
  std::uint64_t seed = 1;
  program.option("--seed", seed, "accepted by every tutorial; this one draws nothing at random");
  return program.run(argc, argv, [&] {
    const double scalar = scalar_error();
    const std::size_t entries = statements_of_one_line();
    const double tensor = tensor_error();
    misuse();
    result(text("tape and calculus differ by %.0e, tape and small step by %.0e; five operations are %zu entry", scalar,
                tensor, entries));
  });
}
