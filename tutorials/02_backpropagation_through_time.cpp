// 2. The recurrent net and backpropagation through time
//
// h_t = tanh(W [x_t, h_{t-1}] + b). How does h_T depend on h_0? The chain rule says: by a product of
// Jacobians, d h_T / d h_0 = J_T ... J_1 with J_t = diag(1 - h_t^2) V^T. The tape has never heard of
// time; it walks the same statements backwards, and must come to the same matrix.
#include <cmath>
#include <cstdio>

#include "autodiff/backward.hpp"
#include "autodiff/reductions.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<1> {};
struct In : Axis<3> {};
struct Hidden : Axis<4> {};
constexpr std::size_t H = Hidden::extent;
using Cell = Rnn<In, Hidden, double>;
using Matrix = std::vector<double>;  // H x H, row-major: d h_i / d h_j

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(H * H, 0.0);
  for (std::size_t i = 0; i < H; ++i)
    for (std::size_t k = 0; k < H; ++k)
      for (std::size_t j = 0; j < H; ++j) c[i * H + j] += a[i * H + k] * b[k * H + j];
  return c;
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

// Both ways, for each lag: the product of Jacobians by hand, and the tape's d h_T / d h_0.
double jacobians(std::size_t steps, std::uint64_t seed) {
  Cell cell;
  initialise(cell, seed);
  tutorial::Table table("02_backpropagation_through_time", {"steps", "product of J", "tape", "difference"});
  Matrix by_hand(H * H, 0.0);
  for (std::size_t i = 0; i < H; ++i) by_hand[i * H + i] = 1;
  double worst = 0;
  for (std::size_t t = 1; t <= steps; ++t) {
    Tape tape;
    const auto xs = variable<Time, Batch, In>(tutorial::noise(t * In::extent, 1, seed), extent<Time>(t));
    const HiddenState s0{variable<Batch, Hidden>(std::vector<double>(H, 0.1))};
    const auto run = unroll(cell, xs, s0);
    const Matrix by_tape = jacobian(run.last.h, s0.h);

    Matrix J(H * H);  // J_t[i][j] = (1 - h_i^2) V[j][i], from the last step's h alone
    for (std::size_t i = 0; i < H; ++i)
      for (std::size_t j = 0; j < H; ++j)
        J[i * H + j] = (1 - std::pow(run.last.h.at(0, i), 2)) * cell.from_hidden.weight.values()[j * H + i];
    by_hand = product(J, by_hand);

    const double difference = largest_difference(by_hand, by_tape);
    table.row({static_cast<double>(t), tutorial::norm(by_hand), tutorial::norm(by_tape), difference});
    worst = std::max(worst, difference);
  }
  std::printf("The norm of d h_t / d h_0: a product of Jacobians by hand, and walking the tape.\n");
  table.print(4);
  table.save({.title = "How much of the first state is left", .x = "steps t", .y = "|d h_t / d h_0|",
              .see = "the product of Jacobians and the tape lie on one line, and it falls", .log_y = true});
  return worst;
}

// W [x, h] with one matrix over the concatenated vector, or W x + V h with two: the same equation.
double one_matrix_or_two(std::uint64_t seed) {
  Cell cell;
  initialise(cell, seed);
  using Both = Concat<In, Hidden>;
  Parameter<double, Both, Next<Hidden>> joint;  // the rows of W, then those of V
  {
    auto edit = joint.edit();
    std::copy_n(cell.from_input.weight.values().begin(), In::extent * H, edit.begin());
    std::copy_n(cell.from_hidden.weight.values().begin(), H * H, edit.begin() + In::extent * H);
  }
  Tape tape;
  const auto x = variable<Batch, In>(tutorial::noise(In::extent, 1, seed));
  const auto h = variable<Batch, Hidden>({0.3, -0.2, 0.5, 0.1});
  Var two = tanh(cell.from_input(x) + cell.from_hidden(h) + cell.bias);
  Var one = tanh(rename<Next<Hidden>, Hidden>(contract<Both>(concatenate<In, Hidden>(x, h), joint)) + cell.bias);

  const Matrix d_two = jacobian(two, h), d_one = jacobian(one, h);
  const double values = largest_difference(two.values(), one.values());
  const double slopes = largest_difference(d_two, d_one);
  std::printf("\nW [x, h] as one matrix of %zu x %zu, and as two: values differ by %.0e, d h_t / d h_{t-1} by %.0e.\n",
              Both::extent, H, values, slopes);
  return std::max(values, slopes);
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("The recurrent net, and backpropagation through time computed in two ways.");
  std::uint64_t seed = 1, steps = 24;
  program.option("--seed", seed, "of the weights and inputs");
  program.option("--steps", steps, "the longest sequence");
  return program.run(argc, argv, [&] {
    if (steps == 0) throw Error("--steps must be at least 1");
    const double worst = jacobians(steps, seed);
    const double matrices = one_matrix_or_two(seed);
    result(text("over %zu steps the tape and the product of Jacobians differ by %.0e; one matrix or two by %.0e",
                static_cast<std::size_t>(steps), worst, matrices));
  });
}
