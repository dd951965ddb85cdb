// The LSTM and the peephole LSTM.
#include "bench/cells.hpp"
#include "layers/lstm.hpp"
#include "layers/peephole_lstm.hpp"

namespace hindsight::bench {

template <class I, class H>
using LstmCell = Lstm<I, H>;
template <class I, class H>
using PeepholeCell = PeepholeLstm<I, H>;

BENCHMARK(training_step<LstmCell, Tiny, 4>)->Name("lstm_tiny");
BENCHMARK(training_step<LstmCell, Small, 4>)->Name("lstm_small");
BENCHMARK(training_step<LstmCell, Medium, 4>)->Name("lstm_medium");
BENCHMARK(training_step<LstmCell, Online, 4>)->Name("lstm_online");
BENCHMARK(training_step<LstmCell, Wide, 4>)->Name("lstm_wide");
BENCHMARK(training_step<PeepholeCell, Tiny, 4>)->Name("peephole_tiny");
BENCHMARK(training_step<PeepholeCell, Small, 4>)->Name("peephole_small");
BENCHMARK(training_step<PeepholeCell, Medium, 4>)->Name("peephole_medium");

}  // namespace hindsight::bench

BENCHMARK_MAIN();
