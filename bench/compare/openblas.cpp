#include "bench/compare/openblas.hpp"

#ifdef HINDSIGHT_HAVE_CBLAS
#include <cblas.h>
#include <unistd.h>

#include <cstdlib>

#include "bench/compare/product_peer.hpp"
#endif

namespace hindsight::bench {

#ifdef HINDSIGHT_HAVE_CBLAS

namespace {

void multiply(std::size_t n, const float* a, const float* b, float* c) {
  const auto size = static_cast<blasint>(n);
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, a, size, b, size, 0, c, size);
}

}  // namespace

void wake_openblas([[maybe_unused]] char** argv) {
#ifdef __x86_64__
  const std::string core = openblas_get_corename();
  if (core != "Prescott" || std::getenv("OPENBLAS_CORETYPE")) return;
  if (!__builtin_cpu_supports("avx2")) return;
  ::setenv("OPENBLAS_CORETYPE", __builtin_cpu_supports("avx512vl") ? "SkylakeX" : "Haswell", 1);
  ::execv("/proc/self/exe", argv);
#endif
}

std::string openblas_version() {
  const std::string config = openblas_get_config();  // "OpenBLAS 0.3.21 ..."
  const std::size_t begin = config.find(' ') + 1;
  return config.substr(begin, config.find(' ', begin) - begin) + " (" + openblas_get_corename() + ")";
}
void set_openblas_threads(int count) { openblas_set_num_threads(count); }
Peer openblas_product() {
  return {"OpenBLAS", [](const Work& work) { return std::make_unique<ProductPeer<multiply>>(work); }};
}

#else

void wake_openblas(char**) {}
std::string openblas_version() { return ""; }
void set_openblas_threads(int) {}
Peer openblas_product() { return {"OpenBLAS", nullptr}; }

#endif

}  // namespace hindsight::bench
