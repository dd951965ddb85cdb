// An argument that owns memory, a copy of which would never be freed.
// EXPECT: checkpoint_keeps_a_copy_of_an_argument_so_it_must_own_nothing
// EXPECT: vector
#include <span>
#include <vector>

#include "autodiff/checkpoint.hpp"
#include "tests/compile_fail/axes.hpp"

using namespace hindsight;

void mistake(const std::vector<float>& scales, const Var<float, Batch, Hidden>& h) {
  const auto scaled = [](const auto& in, const auto& by) { return in * by[0]; };
#ifdef MISTAKE
  checkpoint(scaled, h, scales);
#else
  checkpoint(scaled, h, std::span<const float>(scales));
#endif
}
