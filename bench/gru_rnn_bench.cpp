// The GRU in both forms, and the plain recurrent net.
#include "bench/cells.hpp"
#include "layers/gru.hpp"
#include "layers/rnn.hpp"

template <class I, class H>
using Gru = hindsight::Gru<I, H>;
template <class I, class H>
using GruResetAfter = hindsight::GruResetAfter<I, H>;
template <class I, class H>
using Rnn = hindsight::Rnn<I, H>;

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  hindsight::bench::cell_benchmarks<Gru, 3>("gru");
  hindsight::bench::cell_benchmarks<GruResetAfter, 3>("gru_reset_after");
  hindsight::bench::cell_benchmarks<Rnn, 1>("rnn");
  benchmark::RunSpecifiedBenchmarks();
}
