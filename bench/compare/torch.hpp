// PyTorch as a peer: a process of its own, which does its steps when it is told to.
#pragma once

#include "bench/compare/contender.hpp"

namespace hindsight::bench {

/// Starts PyTorch in that Python, with so many threads. Returns its version; nothing if it is not there.
std::string start_torch(const std::string& python, int threads);
void stop_torch();

/// The work done by PyTorch under the name of the column: by its own layers ("PyTorch"), by the same equations written
/// with its tensors, step by step ("by hand"), or by those compiled by torch.jit.script ("scripted").
Peer torch_peer(const std::string& name);

}  // namespace hindsight::bench
