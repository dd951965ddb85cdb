// The adding problem (Hochreiter and Schmidhuber 1997), learned with any cell. Two rows of inputs, numbers in [0, 1]
// and marks, of which exactly two are 1: at the end, say the sum of the two marked numbers. Always saying 1 has a mean
// squared error of 1/6. To do better is to remember.
#pragma once

#include <vector>

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/optimizers.hpp"
#include "layers/linear.hpp"
#include "layers/unroll.hpp"
#include "models/axes.hpp"

namespace hindsight {

/// Problems side by side: inputs of Time x Batch x (number, mark), and each one's sum.
struct AddingProblems {
  std::size_t steps;
  std::vector<float> inputs, sums;
};

/// One mark lies in each half, so that the first must be kept over at least part of the second.
AddingProblems draw_adding_problems(std::size_t count, std::size_t steps, const Random& random);

/// How a net learns it.
struct AddingOptions {
  std::size_t steps = 50;  ///< T, the length of a problem
  std::size_t updates = 1000;
  std::size_t batch = 32;
  double rate = 5e-3;      ///< Adam's, in the second half a quarter of it
  std::uint64_t seed = 1;
};

/// A net that learns the problem, of whatever cell.
class AddingLearner {
 public:
  explicit AddingLearner(const AddingOptions& options) : options_(options) {}
  virtual ~AddingLearner() = default;
  /// One training step, each on new problems.
  virtual void update() = 0;
  /// The mean squared error on 500 problems that are never trained on.
  virtual double error() = 0;

  /// The error after so many updates.
  double learn(std::size_t updates) {
    for (std::size_t u = 0; u < updates; ++u) update();
    return error();
  }

 protected:
  AddingOptions options_;
};

namespace detail {
struct NumberAndMark : Axis<2> {};
struct Sum : Axis<1> {};
}  // namespace detail

/// Linear, the cell, linear: y = W h_T + b, h_t = cell(V x_t + a, h_{t-1}).
template <class Cell>
class AddingNet final : public AddingLearner {
 public:
  explicit AddingNet(const AddingOptions& options) : AddingLearner(options), adam_({.rate = options.rate}) {
    initialise(model_, options.seed);
  }

  void update() override {
    const std::size_t u = adam_.steps;
    const TrainingStep now(tape_, options_.seed, u);
    const Random random = Random{options_.seed}.child("train").child(u);
    const Var loss = squared_error(draw_adding_problems(options_.batch, options_.steps, random));
    backward(loss);
    clip_by_global_norm(model_, 1);
    adam_.rate = u < options_.updates / 2 ? options_.rate : options_.rate / 4;
    adam_.step(model_);
    clear_gradients(model_);
  }

  double error() override {
    Tape tape;
    const NoRecording guard;
    return squared_error(draw_adding_problems(500, options_.steps, Random{options_.seed}.child("test"))).item();
  }

 private:
  using Row = detail::NumberAndMark;
  struct Model {
    using ReadIn = Affine<Row, typename Cell::In>;
    using ReadOut = Affine<typename Cell::Hidden, detail::Sum>;
    BOOST_HANA_DEFINE_STRUCT(Model, (ReadIn, read_in), (Cell, cell), (ReadOut, read_out));
  };

  Var<float> squared_error(const AddingProblems& p) const {
    const auto batch = extent<Batch>(p.sums.size());
    Var xs = model_.read_in(constant<Time, Batch, Row>(p.inputs, extent<Time>(p.steps), batch));
    const auto last = output(unroll(model_.cell, xs, model_.cell.initial(batch)).last);
    return mean(square(model_.read_out(last) - constant<Batch, detail::Sum>(p.sums, batch)));
  }

  Model model_;
  Adam adam_;
  Tape tape_;
};

}  // namespace hindsight
