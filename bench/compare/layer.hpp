// A training step of a recurrent layer: forward, loss, backward, all gradients. No optimizer.
//
// One layer over a sequence of T steps, loss = mean of the squares of all hidden states, gradients of weights, biases
// and inputs.
#pragma once

#include <cmath>

#include "autodiff/backward.hpp"
#include "autodiff/module.hpp"
#include "autodiff/reductions.hpp"
#include "bench/compare/contender.hpp"
#include "bench/compare/onednn.hpp"
#include "bench/compare/torch.hpp"
#include "layers/unroll.hpp"

namespace hindsight::bench {

struct Time : Axis<> {};
struct Batch : Axis<> {};
template <std::size_t N>
struct In : Axis<N> {};
template <std::size_t N>
struct Hidden : Axis<N> {};

/// One size of the work.
template <std::size_t B, std::size_t T, std::size_t I, std::size_t H>
struct Size {
  static constexpr std::size_t batch = B, time = T, in = I, hidden = H;
};

/// Gives all parameters numbers, uniform in +-size: none is left at 0, where an error could hide.
template <class M>
void randomise(M& module, float size) {
  for_each_parameter(module, [&](const Path& path, auto& parameter) {
    auto values = parameter.edit();
    fill_uniform(values.size(), -size, size, Random{1}.child(path.text()), values.begin());
  });
}

/// Appends every parameter, or its gradient.
template <class M>
void append_values(Arrays& to, const M& module) {
  for_each_parameter(module, [&](const Path& path, const auto& p) {
    to.push_back({path.text(), {p.extents().begin(), p.extents().end()}, {p.values().begin(), p.values().end()}});
  });
}
template <class M>
void append_gradients(Arrays& to, const M& module) {
  for_each_parameter(module, [&](const Path& path, const auto& p) {
    to.push_back({path.text(), {p.extents().begin(), p.extents().end()}, {p.gradients().begin(), p.gradients().end()}});
  });
}

/// Ours: a cell unrolled over the sequence.
template <class Cell, class S>
class OurLayer : public Ours {
 public:
  explicit OurLayer(std::string kind) : kind_(std::move(kind)), input_(S::time * S::batch * S::in) {
    randomise(cell_, 1 / std::sqrt(static_cast<float>(S::hidden)));
    for (std::size_t i = 0; i < input_.size(); ++i) input_[i] = static_cast<float>(Random{2}.normal(i));
  }

  Work work() const override {
    Work w{kind_, {{"x", {S::time, S::batch, S::in}, input_}}};
    append_values(w.arrays, cell_);
    return w;
  }

  Arrays results() override {
    step();
    Arrays all{{"loss", {1}, {loss_}}, {"x", {S::time, S::batch, S::in}, x_.gradients()}};
    append_gradients(all, cell_);
    return all;
  }

 protected:
  void step() override {
    const TrainingStep on(tape_, 1, 0);
    clear_gradients(cell_);
    x_ = variable<Time, Batch, I>(input_, extent<Time>(S::time), extent<Batch>(S::batch));
    const auto run = unroll(cell_, x_, cell_.initial(extent<Batch>(S::batch)));
    Var loss = mean(square(run.outputs));
    backward(loss);
    loss_ = loss.item();
  }

 private:
  using I = In<S::in>;
  std::string kind_;
  Cell cell_;
  std::vector<float> input_;
  Tape tape_;
  Var<float, Time, Batch, I> x_;
  float loss_ = 0;
};

/// A cell at every size. A step's matrix products, of G gates, take 6 G H (In + H) B T operations.
template <template <IsAxis, IsAxis, class...> class Cell, std::size_t Gates>
void add_layer(Workloads& all, const std::string& kind, const std::vector<Peer>& peers) {
  const auto add = [&]<class S>(const char* size, S) {
    const double flops = 6.0 * static_cast<double>(Gates * S::hidden * (S::in + S::hidden) * S::batch * S::time);
    using Layer = OurLayer<Cell<In<S::in>, Hidden<S::hidden>, float>, S>;
    all.push_back({kind + size, flops, [kind] { return std::make_unique<Layer>(kind); }, peers});
  };
  add("_tiny", Size<16, 10, 32, 64>{});
  add("_small", Size<32, 50, 128, 128>{});
  add("_medium", Size<64, 100, 256, 512>{});
  add("_online", Size<1, 100, 64, 64>{});
  add("_wide", Size<32, 50, 1024, 1024>{});
}

}  // namespace hindsight::bench
