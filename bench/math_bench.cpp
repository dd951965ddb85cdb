// The elementary functions over a buffer that fits the first-level cache: ours, Highway's own, and
// the standard library's one value at a time. `ns` is nanoseconds per element.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "autodiff/kernels/math.hpp"

#include <hwy/contrib/math/math-inl.h>  // needs the target that the header above has chosen

namespace hn = hindsight::hn;
namespace simd = hindsight::simd;

namespace {

constexpr std::size_t size = 1024;

/// Evenly spaced over [low, high].
template <class T>
std::vector<T> inputs(double low, double high) {
  std::vector<T> x(size);
  for (std::size_t i = 0; i < size; ++i)
    x[i] = T(low + (high - low) * double(i) / double(size - 1));
  return x;
}

void report(benchmark::State& state) {
  using Counter = benchmark::Counter;
  state.counters["ns"] =
      Counter(1e-9 * double(size), Counter::kIsIterationInvariantRate | Counter::kInvert);
}

/// f(d, vector), a vector at a time.
template <class T, class F>
void vectors(const std::string& name, double low, double high, F f) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const hindsight::Simd<T> d;
    const std::vector<T> x = inputs<T>(low, high);
    std::vector<T> y(size);
    for (auto _ : state) {
      for (std::size_t i = 0; i < size; i += hn::Lanes(d)) {
        hn::StoreU(f(d, hn::LoadU(d, x.data() + i)), d, y.data() + i);
      }
      benchmark::DoNotOptimize(y.data());
      benchmark::ClobberMemory();
    }
    report(state);
  });
}

/// f(value), a value at a time.
template <class T, class F>
void values(const std::string& name, double low, double high, F f) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    const std::vector<T> x = inputs<T>(low, high);
    std::vector<T> y(size);
    for (auto _ : state) {
      for (std::size_t i = 0; i < size; ++i) y[i] = f(x[i]);
      benchmark::DoNotOptimize(y.data());
      benchmark::ClobberMemory();
    }
    report(state);
  });
}

// One function: ours, and the standard library's expression in x; and Highway's where it has the
// function.
#define OURS_AND_STD(function, low, high, expression)              \
  vectors<T>(type + #function "/ours", low, high,                  \
             [](auto d, auto v) { return simd::function(d, v); }); \
  values<T>(type + #function "/std", low, high, [](T x) { return expression; })
#define HIGHWAY(function, name, low, high) \
  vectors<T>(type + #function "/highway", low, high, [](auto d, auto v) { return hn::name(d, v); })

template <class T>
bool registered(const std::string& type) {
  OURS_AND_STD(exp, -20, 20, std::exp(x));
  HIGHWAY(exp, Exp, -20, 20);
  OURS_AND_STD(expm1, -20, 20, std::expm1(x));
  HIGHWAY(expm1, Expm1, -20, 20);
  OURS_AND_STD(sigmoid, -8, 8, 1 / (1 + std::exp(-x)));
  OURS_AND_STD(tanh, -8, 8, std::tanh(x));
  HIGHWAY(tanh, Tanh, -8, 8);
  OURS_AND_STD(log, 0.01, 100, std::log(x));
  HIGHWAY(log, Log, 0.01, 100);
  OURS_AND_STD(log1p, 0, 1, std::log1p(x));
  HIGHWAY(log1p, Log1p, 0, 1);
  OURS_AND_STD(softplus, -20, 20, std::max(x, T(0)) + std::log1p(std::exp(-std::abs(x))));
  OURS_AND_STD(sin, -100, 100, std::sin(x));
  HIGHWAY(sin, Sin, -100, 100);
  OURS_AND_STD(cos, -100, 100, std::cos(x));
  HIGHWAY(cos, Cos, -100, 100);
  return true;
}

[[maybe_unused]] const bool both = registered<float>("float/") && registered<double>("double/");

}  // namespace
