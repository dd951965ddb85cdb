// A peer that multiplies square matrices: C = A B by a function of its own.
#pragma once

#include "bench/compare/contender.hpp"

namespace hindsight::bench {

/// `Multiply(n, a, b, c)` computes the n x n product, all three row-major without gaps.
template <void (*Multiply)(std::size_t n, const float* a, const float* b, float* c)>
class ProductPeer : public Contender {
 public:
  explicit ProductPeer(const Work& work)
      : a_(find(work.arrays, "a")), b_(find(work.arrays, "b")), c_(a_.values.size()) {}

  Arrays results() override {
    step();
    return {{"c", a_.shape, c_}};
  }

 protected:
  void step() override { Multiply(a_.shape[0], a_.values.data(), b_.values.data(), c_.data()); }

 private:
  Array a_, b_;
  std::vector<float> c_;
};

}  // namespace hindsight::bench
