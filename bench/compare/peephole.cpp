// The LSTM with peepholes. PyTorch has no layer of its own for it.
#include "bench/compare/layer.hpp"
#include "layers/peephole_lstm.hpp"

namespace hindsight::bench {

void add_peephole(Workloads& all) {
  add_layer<PeepholeLstm, 4>(all, "peephole", {onednn_layer(), torch_peer("by hand"), torch_peer("scripted")});
}

}  // namespace hindsight::bench
