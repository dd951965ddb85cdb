// A training step of a recurrent layer: forward, loss, backward, all gradients. No optimizer.
//
// The sizes and the work are those that other libraries were measured with: one layer over a sequence of
// T steps, loss = mean of the squares of all hidden states, gradients of weights, biases and inputs.
#pragma once

#include <benchmark/benchmark.h>

#include <vector>

#include "autodiff/backward.hpp"
#include "autodiff/module.hpp"
#include "autodiff/reductions.hpp"
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
using Tiny = Size<16, 10, 32, 64>;
using Small = Size<32, 50, 128, 128>;
using Medium = Size<64, 100, 256, 512>;
using Online = Size<1, 100, 64, 64>;
using Wide = Size<32, 50, 1024, 1024>;

/// The floating-point operations of a step's matrix products: 6 G H (In + H) B T, G matrices of gates.
template <class S>
constexpr double flops(std::size_t gates) {
  return 6.0 * static_cast<double>(gates * S::hidden * (S::in + S::hidden) * S::batch * S::time);
}

/// Runs training steps of Cell<In, Hidden> at size S and reports GFLOP/s of its matrix products.
template <template <class, class> class Cell, class S, std::size_t Gates>
void training_step(benchmark::State& state) {
  using I = In<S::in>;
  Cell<I, Hidden<S::hidden>> cell;
  initialise(cell, 1);
  std::vector<float> input(S::time * S::batch * S::in);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(Random{2}.normal(i));
  Tape tape;
  for (auto _ : state) {
    tape.reset();
    clear_gradients(cell);
    const auto x = variable<Time, Batch, I>(input, extent<Time>(S::time), extent<Batch>(S::batch));
    const auto run = unroll(cell, x, cell.initial(extent<Batch>(S::batch)));
    Var loss = mean(square(run.outputs));
    backward(loss);
    benchmark::DoNotOptimize(loss.item());
  }
  state.counters["GFLOP/s"] = benchmark::Counter(flops<S>(Gates) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace hindsight::bench
