// OpenBLAS as a peer, for the matrix product.
#pragma once

#include "bench/compare/contender.hpp"

namespace hindsight::bench {

/// On a processor that is newer than OpenBLAS, it falls back to kernels of the time before AVX, and PyTorch with it.
/// Then this starts the program again with the kernels of the widest vectors that the processor has: OPENBLAS_CORETYPE,
/// which names them, is read before main.
void wake_openblas(char** argv);

/// The version of OpenBLAS and the processor its kernels are for; nothing if this program was built without.
std::string openblas_version();

/// How many threads OpenBLAS uses.
void set_openblas_threads(int count);

Peer openblas_product();

}  // namespace hindsight::bench
