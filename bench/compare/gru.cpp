// The GRU that resets before the product. PyTorch has no layer of its own for it.
#include "bench/compare/layer.hpp"
#include "layers/gru.hpp"

namespace hindsight::bench {

void add_gru(Workloads& all) {
  add_layer<Gru, 3>(all, "gru", {onednn_layer(), torch_peer("by hand"), torch_peer("scripted")});
}

}  // namespace hindsight::bench
