// checkpoint(f, x...): how memory grows with the length of a sequence.
#include <algorithm>
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "autodiff/backward.hpp"
#include "autodiff/checkpoint.hpp"
#include "autodiff/reductions.hpp"

using namespace hindsight;

namespace {

struct Batch : Axis<> {};

/// The most bytes that a step over `steps` steps takes, in segments.
std::size_t peak(std::size_t steps, std::size_t segment) {
  const auto run = [](Var<double, Batch> h, std::size_t count) {
    for (std::size_t t = 0; t < count; ++t) h = Var(tanh(h) * 0.5);
    return h;
  };
  Tape tape;
  const auto x = variable<Batch>(std::vector<double>(64, 0.5), extent<Batch>(64));
  Var<double, Batch> h = x;
  if (segment == 0) h = run(h, steps);
  for (std::size_t t = 0; segment > 0 && t < steps; t += segment)
    h = checkpoint(run, h, std::min(segment, steps - t));
  backward(Var(sum(h)));
  return tape.peak();
}

}  // namespace

TEST_CASE("segments of sqrt(T) steps take memory that grows as sqrt(T)") {
  const std::size_t all = peak(400, 0), quarter = peak(100, 0);
  CHECK(all > 3 * quarter);
  CHECK(all < 5 * quarter);
  std::size_t before = peak(100, segment_for(100));
  for (std::size_t steps = 400; steps <= 102400; steps *= 4) {
    const std::size_t now = peak(steps, segment_for(steps));
    CAPTURE(steps, before, now);
    CHECK(now < 2.6 * static_cast<double>(before));  // blocks of doubling size: not exactly 2
    before = now;
  }
  CHECK(peak(102400, segment_for(102400)) < peak(1000, 0));
  CHECK(segment_for(0) == 1);
  CHECK(segment_for(1) == 1);
  CHECK(segment_for(100) == 10);
  CHECK(segment_for(101) == 11);
}

TEST_CASE("checkpoints in checkpoints of checkpoints take memory that grows as the logarithm") {
  struct Half {
    Var<double, Batch> operator()(const Var<double, Batch>& h, std::size_t steps) const {
      if (steps == 1) return tanh(h) * 0.5;
      return checkpoint(*this, checkpoint(*this, h, steps / 2), steps - steps / 2);
    }
  };
  const auto most = [](std::size_t steps) {
    Tape tape;
    const auto x = variable<Batch>(std::vector<double>(64, 0.5), extent<Batch>(64));
    backward(Var(sum(Half()(x, steps))));
    return tape.peak();
  };
  const double once = static_cast<double>(most(32));
  CHECK(static_cast<double>(most(1024)) < 2.5 * once);  // 10 halvings and 5
}
