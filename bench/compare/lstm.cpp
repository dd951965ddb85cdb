// The LSTM.
#include "bench/compare/layer.hpp"
#include "layers/lstm.hpp"

namespace hindsight::bench {

void add_lstm(Workloads& all) {
  add_layer<Lstm, 4>(all, "lstm",
                     {onednn_layer(), torch_peer("PyTorch"), torch_peer("by hand"), torch_peer("scripted")});
}

}  // namespace hindsight::bench
