// The plain recurrent net.
#include "bench/compare/layer.hpp"
#include "layers/rnn.hpp"

namespace hindsight::bench {

void add_rnn(Workloads& all) {
  add_layer<Rnn, 1>(all, "rnn",
                    {onednn_layer(), torch_peer("PyTorch"), torch_peer("by hand"), torch_peer("scripted")});
}

}  // namespace hindsight::bench
