// The GRU that resets after the product.
#include "bench/compare/layer.hpp"
#include "layers/gru.hpp"

namespace hindsight::bench {

void add_gru_reset_after(Workloads& all) {
  add_layer<GruResetAfter, 3>(all, "gru_reset_after",
                              {onednn_layer(), torch_peer("PyTorch"), torch_peer("by hand"), torch_peer("scripted")});
}

}  // namespace hindsight::bench
