// The LSTM and the peephole LSTM.
#include "bench/cells.hpp"
#include "layers/lstm.hpp"
#include "layers/peephole_lstm.hpp"

template <class I, class H>
using Lstm = hindsight::Lstm<I, H>;
template <class I, class H>
using PeepholeLstm = hindsight::PeepholeLstm<I, H>;

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  hindsight::bench::cell_benchmarks<Lstm, 4>("lstm");
  hindsight::bench::cell_benchmarks<PeepholeLstm, 4>("peephole");
  benchmark::RunSpecifiedBenchmarks();
}
