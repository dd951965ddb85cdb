// A training step of a recurrent layer: forward, loss, backward, all gradients. No optimizer.
//
// The sizes and the work are those that other libraries were measured with: one layer over a sequence of
// T steps, loss = mean of the squares of all hidden states, gradients of weights, biases and inputs.
// `of_product` is the step's GFLOP/s over those of the 256 x 256 x 256 product, measured just before:
// the share of its time that is not spent in matrix products at full speed is what is missing from 1.
#pragma once

#include <benchmark/benchmark.h>

#include <chrono>
#include <string>
#include <vector>

#include "autodiff/backward.hpp"
#include "autodiff/kernels/gemm.hpp"
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

/// The floating-point operations of a step's matrix products: 6 G H (In + H) B T, G matrices of gates.
template <class S>
constexpr double flops(std::size_t gates) {
  return 6.0 * static_cast<double>(gates * S::hidden * (S::in + S::hidden) * S::batch * S::time);
}

/// GFLOP/s of the 256 x 256 x 256 product, over a fifth of a second.
inline double product_speed() {
  constexpr std::size_t n = 256;
  const std::vector<float> a(n * n, 0.5f), b(n * n, 0.25f);
  std::vector<float> c(n * n);
  const auto seconds = [] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  };
  const double begin = seconds();
  std::size_t products = 0;
  do {
    kernels::gemm<float>(n, n, n, {a.data(), n, 1}, {b.data(), n, 1}, c.data(), n, false);
    benchmark::DoNotOptimize(c.data());
    ++products;
  } while (seconds() < begin + 0.2);
  return 2e-9 * n * n * n * static_cast<double>(products) / (seconds() - begin);
}

/// Runs training steps of a cell at size S and reports GFLOP/s of its matrix products.
template <template <class, class> class Cell, class S, std::size_t Gates>
void training_step(benchmark::State& state) {
  using I = In<S::in>;
  const double product = product_speed();
  Cell<I, Hidden<S::hidden>> cell;
  initialise(cell, 1);
  std::vector<float> input(S::time * S::batch * S::in);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<float>(Random{2}.normal(i));
  Tape tape;
  const auto step = [&] {
    tape.reset();
    clear_gradients(cell);
    const auto x = variable<Time, Batch, I>(input, extent<Time>(S::time), extent<Batch>(S::batch));
    const auto run = unroll(cell, x, cell.initial(extent<Batch>(S::batch)));
    Var loss = mean(square(run.outputs));
    backward(loss);
    benchmark::DoNotOptimize(loss.item());
  };
  for (int warm_up = 0; warm_up < 3; ++warm_up) step();  // in which the tape finds its size
  for (auto _ : state) step();
  const double gflop = flops<S>(Gates) * 1e-9;
  state.counters["GFLOP/s"] = benchmark::Counter(gflop, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["of_product"] = benchmark::Counter(gflop / product, benchmark::Counter::kIsIterationInvariantRate);
}

/// A cell at every size.
template <template <class, class> class Cell, std::size_t Gates>
void cell_benchmarks(const std::string& name) {
  const auto add = [&]<class S>(const char* size, S) {
    benchmark::RegisterBenchmark((name + size).c_str(), training_step<Cell, S, Gates>);
  };
  add("_tiny", Tiny{});
  add("_small", Small{});
  add("_medium", Medium{});
  add("_online", Online{});
}

}  // namespace hindsight::bench
