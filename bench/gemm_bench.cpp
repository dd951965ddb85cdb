// The matrix products, and beside each OpenBLAS's product of the same size where that is installed.
//
// Both run in turn inside one measurement, so that what the machine does meanwhile strikes both:
// `ours` and `openblas` are GFLOP/s, `ratio` is ours over OpenBLAS's. `peak` is what the machine's
// fused multiply-adds alone reach. bench/run gives OpenBLAS one thread, which is what ours has.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

#include "autodiff/kernels/gemm.hpp"
#include "autodiff/kernels/simd.hpp"
#include "bench/compare/openblas.hpp"

#ifdef HINDSIGHT_HAVE_CBLAS
#include <cblas.h>
#endif

namespace {

using namespace hindsight;
using namespace hindsight::kernels;

template <class T>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = T((i * 7919) % 1009) / T(1009) - T(0.5);
  return x;
}

/// C (m x n) = A B, or A^T B where A lies k x m, all row-major without gaps.
template <class T>
void blas([[maybe_unused]] bool transpose_a, [[maybe_unused]] int m, [[maybe_unused]] int n,
          [[maybe_unused]] int k, [[maybe_unused]] const T* a, [[maybe_unused]] const T* b,
          [[maybe_unused]] T beta, [[maybe_unused]] T* c) {
#ifdef HINDSIGHT_HAVE_CBLAS
  const CBLAS_TRANSPOSE transpose = transpose_a ? CblasTrans : CblasNoTrans;
  const int lda = transpose_a ? m : k;
  if constexpr (sizeof(T) == sizeof(float)) {
    cblas_sgemm(CblasRowMajor, transpose, CblasNoTrans, m, n, k, 1, a, lda, b, n, beta, c, n);
  } else {
    cblas_dgemm(CblasRowMajor, transpose, CblasNoTrans, m, n, k, 1, a, lda, b, n, beta, c, n);
  }
#endif
}

template <class Run>
double seconds(const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  benchmark::ClobberMemory();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Runs both in turn and reports GFLOP/s of each.
template <class Ours, class Theirs>
void compare(benchmark::State& state, double flops, const Ours& ours, const Theirs& theirs) {
  double our_time = 0, their_time = 0;
  ours(), theirs();
  for (auto _ : state) {
    const double once = seconds(ours);
    state.SetIterationTime(once);
    our_time += once;
    their_time += seconds(theirs);
  }
  const double total = flops * static_cast<double>(state.iterations()) / 1e9;
  state.counters["ours"] = total / our_time;
#ifdef HINDSIGHT_HAVE_CBLAS
  state.counters["openblas"] = total / their_time;
  state.counters["ratio"] = their_time / our_time;
#endif
}

std::size_t argument(const benchmark::State& state, std::size_t i) {
  return static_cast<std::size_t>(state.range(i));
}

struct Size {
  Size(std::size_t rows, std::size_t columns, std::size_t depth) : m(rows), n(columns), k(depth) {}
  explicit Size(const benchmark::State& state)
      : Size(argument(state, 0), argument(state, 1), argument(state, 2)) {}
  double flops() const { return 2 * double(m) * double(n) * double(k); }
  std::size_t m, n, k;
};

/// C = or += A B by OpenBLAS.
template <class T>
void blas(const Size& s, bool transpose_a, const std::vector<T>& a, const std::vector<T>& b, T beta,
          std::vector<T>& c) {
  blas(transpose_a, int(s.m), int(s.n), int(s.k), a.data(), b.data(), beta, c.data());
}

/// Both operands as they lie in memory.
template <class T>
void product(benchmark::State& state) {
  const Size s(state);
  const auto a = numbers<T>(s.m * s.k), b = numbers<T>(s.k * s.n);
  std::vector<T> c(s.m * s.n);
  const MatrixView<T> left{a.data(), s.k, 1}, right{b.data(), s.n, 1};
  compare(
      state, s.flops(), [&] { gemm<T>(s.m, s.n, s.k, left, right, c.data(), s.n, false); },
      [&] { blas<T>(s, false, a, b, 0, c); });
}

/// B packed before, as weights are.
template <class T>
void packed_product(benchmark::State& state) {
  const Size s(state);
  const auto a = numbers<T>(s.m * s.k), b = numbers<T>(s.k * s.n);
  std::vector<T> c(s.m * s.n), packed(packed_size<T>(s.k, s.n));
  const MatrixView<T> left{a.data(), s.k, 1};
  pack<T>(s.k, s.n, {b.data(), s.n, 1}, packed.data());
  compare(
      state, s.flops(),
      [&] { gemm_packed<T>(s.m, s.n, s.k, left, packed.data(), c.data(), s.n, false); },
      [&] { blas<T>(s, false, a, b, 0, c); });
}

/// A weight gradient (m x n) over `steps` blocks of `rows`; OpenBLAS gets all rows in one piece.
template <class T>
void weight_gradient(benchmark::State& state) {
  const std::size_t steps = argument(state, 2), rows = argument(state, 3);
  const Size s(argument(state, 0), argument(state, 1), steps * rows);
  const auto left = numbers<T>(s.k * s.m), right = numbers<T>(s.k * s.n);
  std::vector<T> c(s.m * s.n);
  std::vector<OuterBlock<T>> blocks;
  for (std::size_t t = 0; t < steps; ++t) {
    blocks.push_back({{left.data() + t * rows * s.m, s.m, 1},
                      {right.data() + t * rows * s.n, s.n, 1},
                      rows});
  }
  compare(
      state, s.flops(), [&] { gemm_outer<T>(s.m, s.n, blocks, c.data(), s.n); },
      [&] { blas<T>(s, true, left, right, 1, c); });
}

/// Twelve independent chains of multiply-adds in registers.
template <class T>
void peak(benchmark::State& state) {
  constexpr Simd<T> d;
  constexpr int chains = 12, links = 1000;
  const auto run = [&]<std::size_t... I>(std::index_sequence<I...>) {
    const Vec<T> a = hn::Set(d, T(0.5)), b = hn::Set(d, T(0.25));
    Vec<T> x[] = {hn::Set(d, T(I))...};
    for (auto _ : state) {
      for (int i = 0; i < links; ++i) ((x[I] = hn::MulAdd(x[I], a, b)), ...);
    }
    benchmark::DoNotOptimize((hn::GetLane(x[I]) + ...));
  };
  run(std::make_index_sequence<chains>());
  const double flops = 2.0 * chains * links * static_cast<double>(lanes<T>() * state.iterations());
  state.counters["ours"] = benchmark::Counter(flops / 1e9, benchmark::Counter::kIsRate);
}

void squares(benchmark::internal::Benchmark* bench) {
  for (int size : {64, 128, 256, 512, 1024}) bench->Args({size, size, size});
  bench->ArgNames({"m", "n", "k"})->UseManualTime();
}

/// Forward and backward products of recurrent nets at batch sizes 1 to 64.
void training_steps(benchmark::internal::Benchmark* bench) {
  for (int batch : {1, 16, 32, 64}) {
    for (auto [in, gates] : {std::pair{32, 256}, {64, 256}, {128, 512}, {256, 2048}, {512, 2048}}) {
      bench->Args({batch, gates, in})->Args({batch, in, gates});
    }
  }
  bench->ArgNames({"m", "n", "k"})->UseManualTime();
}

void weight_gradients(benchmark::internal::Benchmark* bench) {
  bench->Args({32, 256, 10, 16})->Args({64, 256, 10, 16})->Args({128, 512, 50, 32});
  bench->Args({256, 2048, 100, 64})->Args({512, 2048, 100, 64})->Args({128, 128, 50, 32});
  bench->ArgNames({"m", "n", "steps", "rows"})->UseManualTime();
}

BENCHMARK_TEMPLATE(peak, float);
BENCHMARK_TEMPLATE(product, float)->Apply(squares);
BENCHMARK_TEMPLATE(packed_product, float)->Apply(training_steps);
BENCHMARK_TEMPLATE(weight_gradient, float)->Apply(weight_gradients);
BENCHMARK_TEMPLATE(peak, double);
BENCHMARK_TEMPLATE(product, double)->Apply(squares);

}  // namespace

int main(int argc, char** argv) {
  hindsight::bench::wake_openblas(argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
