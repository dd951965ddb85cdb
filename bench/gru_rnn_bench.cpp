// The GRU in both forms, and the plain recurrent net.
#include "bench/cells.hpp"
#include "layers/gru.hpp"
#include "layers/rnn.hpp"

namespace hindsight::bench {

template <class I, class H>
using GruCell = Gru<I, H>;
template <class I, class H>
using GruResetAfterCell = GruResetAfter<I, H>;
template <class I, class H>
using RnnCell = Rnn<I, H>;

BENCHMARK(training_step<GruCell, Tiny, 3>)->Name("gru_tiny");
BENCHMARK(training_step<GruCell, Small, 3>)->Name("gru_small");
BENCHMARK(training_step<GruCell, Medium, 3>)->Name("gru_medium");
BENCHMARK(training_step<GruCell, Online, 3>)->Name("gru_online");
BENCHMARK(training_step<GruResetAfterCell, Tiny, 3>)->Name("gru_reset_after_tiny");
BENCHMARK(training_step<GruResetAfterCell, Small, 3>)->Name("gru_reset_after_small");
BENCHMARK(training_step<GruResetAfterCell, Medium, 3>)->Name("gru_reset_after_medium");
BENCHMARK(training_step<RnnCell, Tiny, 1>)->Name("rnn_tiny");
BENCHMARK(training_step<RnnCell, Small, 1>)->Name("rnn_small");
BENCHMARK(training_step<RnnCell, Medium, 1>)->Name("rnn_medium");
BENCHMARK(training_step<RnnCell, Online, 1>)->Name("rnn_online");

}  // namespace hindsight::bench

BENCHMARK_MAIN();
