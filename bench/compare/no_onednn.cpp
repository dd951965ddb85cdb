// The program without oneDNN: nobody makes its peers.
#include "bench/compare/onednn.hpp"

namespace hindsight::bench {

std::string onednn_version() { return ""; }
void set_onednn_threads(int) {}
Peer onednn_layer() { return {"oneDNN", nullptr}; }
Peer onednn_inference() { return {"oneDNN", nullptr}; }
Peer onednn_product() { return {"oneDNN", nullptr}; }

}  // namespace hindsight::bench
