// 6. The adding problem: a memory over a hundred steps
//
// Two rows of inputs, T steps long: numbers in [0, 1], and marks, of which exactly two are 1. At the
// end, say the sum of the two marked numbers (Hochreiter and Schmidhuber 1997). Always saying 1 has a
// mean squared error of 1/6: two variances of 1/12. To do better is to remember.
#include <algorithm>
#include <cstdio>

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/optimizers.hpp"
#include "autodiff/reductions.hpp"
#include "layers/gru.hpp"
#include "layers/lstm.hpp"
#include "layers/rnn.hpp"
#include "layers/unroll.hpp"
#include "models/adding_problem.hpp"
#include "tutorials/program.hpp"

using namespace hindsight;
using tutorial::result;
using tutorial::text;

namespace {

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct Rows : Axis<2> {};  // number, mark
struct Hidden : Axis<64> {};
struct Sum : Axis<1> {};

// A cell that reads, and a linear map from its last state to the answer.
template <class Cell>
struct Adder {
  using ReadOut = Affine<Hidden, Sum>;
  BOOST_HANA_DEFINE_STRUCT(Adder, (Cell, cell), (ReadOut, read_out));
};

template <class Cell>
Var<float> mean_squared_error(const Adder<Cell>& model, const AddingProblems& p) {
  const auto batch = extent<Batch>(p.sums.size());
  const auto xs = constant<Time, Batch, Rows>(p.inputs, extent<Time>(p.steps), batch);
  const auto run = unroll(model.cell, xs, model.cell.initial(batch));
  return mean(square(model.read_out(run.last.h) - constant<Batch, Sum>(p.sums, batch)));
}

constexpr std::uint64_t every = 100;  // updates from one measurement to the next

struct Curve {
  std::vector<double> error;  // on problems never trained on
};

template <class Cell>
Curve train(std::size_t steps, std::size_t updates, std::uint64_t seed) {
  constexpr std::size_t batch = 32, held_out = 1000;
  Adder<Cell> model;
  initialise(model, seed);
  Adam adam({.rate = 2e-3});
  Tape tape;
  const Random random{seed};
  const AddingProblems test = draw_adding_problems(held_out, steps, random.child("test"));
  Curve curve;
  for (std::size_t u = 0; u < updates && !tutorial::interrupted(); ++u) {
    tape.reset();
    Var loss = mean_squared_error(model, draw_adding_problems(batch, steps, random.child("train").child(u)));
    backward(loss);
    clip_by_global_norm(model, 1);
    adam.rate = u < updates / 2 ? 2e-3 : 5e-4;
    adam.step(model);
    clear_gradients(model);
    if ((u + 1) % every == 0 || u + 1 == updates) {
      tape.reset();
      const NoRecording guard;
      curve.error.push_back(mean_squared_error(model, test).item());
    }
  }
  return curve;
}

}  // namespace

int main(int argc, char** argv) {
  tutorial::Program program("The adding problem: RNN, LSTM and GRU beside the trivial baseline 1/6.");
  std::uint64_t seed = 1, steps = 100, updates = 2500;
  program.option("--seed", seed, "the first of three seeds of weights and problems");
  program.option("--steps", steps, "T, the length of a problem");
  program.option("--updates", updates, "training steps of each net");
  return program.run(argc, argv, [&] {
    if (steps < 2 || updates < 1) throw Error("--steps must be at least 2, --updates at least 1");
    const char* names[] = {"RNN", "LSTM", "GRU"};
    std::vector<Curve> curves(9);
    tutorial::in_parallel(9, [&](std::size_t job) {
      const std::uint64_t s = seed + job % 3;
      curves[job] = job / 3 == 0   ? train<Rnn<Rows, Hidden>>(steps, updates, s)
                    : job / 3 == 1 ? train<Lstm<Rows, Hidden>>(steps, updates, s)
                                   : train<Gru<Rows, Hidden>>(steps, updates, s);
      std::fprintf(stderr, "%s seed %llu: done\n", names[job / 3], static_cast<unsigned long long>(s));
    });
    if (tutorial::interrupted()) throw Error("interrupted");

    tutorial::Table table("06_adding", {"updates", "always 1", "RNN", "LSTM", "GRU"});
    for (std::size_t k = 0; k < curves[0].error.size(); ++k) {
      std::vector<double> row{static_cast<double>(std::min(every * (k + 1), updates)), 1.0 / 6};
      for (std::size_t cell = 0; cell < 3; ++cell)
        row.push_back((curves[3 * cell].error[k] + curves[3 * cell + 1].error[k] + curves[3 * cell + 2].error[k]) / 3);
      table.row(row);
    }
    std::printf("\nMean squared error on 1000 held-out problems, T = %zu, mean of three seeds:\n", static_cast<std::size_t>(steps));
    table.print(curves[0].error.size() / 5 + 1);
    table.save({.title = "The adding problem", .x = "updates", .y = "mean squared error",
                .see = "LSTM and GRU leave the trivial baseline, the plain net hardly does", .log_y = true});

    std::printf("\nAt the end, by seed (always saying 1: %.4f):\n", 1.0 / 6);
    std::string summary;
    for (std::size_t cell = 0; cell < 3; ++cell) {
      double worst = 0;
      std::printf("  %-5s", names[cell]);
      for (std::size_t s = 0; s < 3; ++s) {
        std::printf(" %9.5f", curves[3 * cell + s].error.back());
        worst = std::max(worst, curves[3 * cell + s].error.back());
      }
      std::printf("\n");
      summary += text("%s %.4f  ", names[cell], worst);
    }
    result(text("worst of three seeds at T = %zu: %s(always 1: 0.1667)", static_cast<std::size_t>(steps), summary.c_str()));
  });
}
