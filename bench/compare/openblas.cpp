#include "bench/compare/openblas.hpp"

#ifdef HINDSIGHT_HAVE_CBLAS
#include <cblas.h>
#include <unistd.h>

#include <cstdlib>
#endif

namespace hindsight::bench {

#ifdef HINDSIGHT_HAVE_CBLAS

namespace {

class Product : public Contender {
 public:
  explicit Product(const Work& work) : a_(find(work.arrays, "a")), b_(find(work.arrays, "b")), c_(a_.values.size()) {}

  Arrays results() override {
    step();
    return {{"c", a_.shape, c_}};
  }

 protected:
  void step() override {
    const auto n = static_cast<blasint>(a_.shape[0]);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a_.values.data(), n, b_.values.data(), n, 0,
                c_.data(), n);
  }

 private:
  Array a_, b_;
  std::vector<float> c_;
};

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
  return {"OpenBLAS", [](const Work& work) { return std::make_unique<Product>(work); }};
}

#else

void wake_openblas(char**) {}
std::string openblas_version() { return ""; }
void set_openblas_threads(int) {}
Peer openblas_product() { return {"OpenBLAS", nullptr}; }

#endif

}  // namespace hindsight::bench
