// The matrix product itself, C = A B of squares: what all else is measured by.
#include "autodiff/kernels/gemm.hpp"
#include "autodiff/random.hpp"
#include "bench/compare/onednn.hpp"
#include "bench/compare/openblas.hpp"
#include "bench/compare/torch.hpp"

namespace hindsight::bench {
namespace {

class OurProduct : public Ours {
 public:
  explicit OurProduct(std::size_t n) : n_(n), a_(n * n), b_(n * n), c_(n * n) {
    fill_uniform(a_.size(), -0.5f, 0.5f, Random{1}.child("a"), a_.data());
    fill_uniform(b_.size(), -0.5f, 0.5f, Random{1}.child("b"), b_.data());
  }

  Work work() const override { return {"product", {{"a", {n_, n_}, a_}, {"b", {n_, n_}, b_}}}; }

  Arrays results() override {
    step();
    return {{"c", {n_, n_}, c_}};
  }

 protected:
  void step() override {
    kernels::gemm<float>(n_, n_, n_, {a_.data(), n_, 1}, {b_.data(), n_, 1}, c_.data(), n_, false);
  }

 private:
  std::size_t n_;
  std::vector<float> a_, b_, c_;
};

}  // namespace

void add_products(Workloads& all) {
  for (std::size_t n : {64, 256, 1024})
    all.push_back({"product_" + std::to_string(n), 2 * static_cast<double>(n * n * n),
                   [n] { return std::make_unique<OurProduct>(n); },
                   {onednn_product(), torch_peer("PyTorch"), openblas_product()}});
}

}  // namespace hindsight::bench
