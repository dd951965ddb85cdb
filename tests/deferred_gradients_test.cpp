// Gradients of weights are deferred to the end of a pass: whatever the recording is like, each pass
// adds its own, once.

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>

#include "autodiff/backward.hpp"
#include "autodiff/clipping.hpp"
#include "autodiff/reductions.hpp"
#include "autodiff/views.hpp"

using namespace hindsight;
using Catch::Matchers::WithinRel;

namespace {

struct Batch : Axis<2> {};
struct Hidden : Axis<1> {};

/// The smallest recurrence: h_t = w h_{t-1}, with w = 2.
struct Recurrence {
  using Weight = Parameter<double, Hidden, Next<Hidden>>;
  Weight w;

  Recurrence() { w.edit()[0] = 2; }
  Var<double, Batch, Hidden> operator()(const Var<double, Batch, Hidden>& h) const {
    return rename<Next<Hidden>, Hidden>(contract<Hidden>(h, w));
  }
};

/// h_0 = 1 in one row and 0 in the other.
auto start() { return constant<Batch, Hidden>({1.0, 0.0}); }

std::vector<double> gradients_of(const Recurrence::Weight& w) { return {w.gradients().begin(), w.gradients().end()}; }

}  // namespace

TEST_CASE("a weight used in every time step") {
  Recurrence step;
  Tape tape;
  Var h = step(step(step(start())));
  Var loss = sum(h);
  backward(loss);
  CHECK(h.values() == std::vector<double>{8, 0});
  CHECK(gradients_of(step.w) == std::vector<double>{12});  // d w^3 / d w
}

TEST_CASE("a recording that starts in the middle") {
  Recurrence step;
  Tape tape;
  Var h = start();
  {
    const NoRecording guard;
    h = step(h);
  }
  CHECK(tape.size() == 0);
  Var loss = sum(step(step(h)));
  backward(loss);
  CHECK(gradients_of(step.w) == std::vector<double>{8});  // d 2 w^2 / d w
}

TEST_CASE("a recording that ends in the middle") {
  Recurrence step;
  Tape tape;
  Var h = step(step(start()));
  Var loss = sum(h);
  const std::size_t recorded = tape.size();
  {
    const NoRecording guard;
    Var unrecorded = sum(step(h));
    CHECK(unrecorded.item() == 8);
    CHECK_THROWS_AS(backward(unrecorded), TapeError);
  }
  CHECK(tape.size() == recorded);
  backward(loss);
  CHECK(gradients_of(step.w) == std::vector<double>{4});  // d w^2 / d w
}

TEST_CASE("a past that is cut off") {
  Recurrence step;
  Tape tape;
  Var loss = sum(step(step(detach(step(start())))));
  backward(loss);
  CHECK(gradients_of(step.w) == std::vector<double>{8});
}

TEST_CASE("two tapes before one update, one after the other and one in the other") {
  Recurrence step;
  {
    Tape first;
    Var loss = sum(step(start()));
    backward(loss);
  }
  CHECK(gradients_of(step.w) == std::vector<double>{1});
  Tape second;
  Var outer = sum(step(step(start())));
  {
    Tape third;
    Var inner = sum(step(step(step(start()))));
    backward(inner);
    CHECK(gradients_of(step.w) == std::vector<double>{1 + 12});
  }
  backward(outer);
  CHECK(gradients_of(step.w) == std::vector<double>{1 + 12 + 4});
}

TEST_CASE("two recordings on one tape, and two seeds on one recording") {
  Recurrence step;
  Tape tape;
  for (int i = 0; i < 2; ++i) {
    tape.reset();
    Var loss = sum(step(step(start())));
    backward(loss);
  }
  CHECK(gradients_of(step.w) == std::vector<double>{4 + 4});
  clear_gradients(step.w);
  tape.reset();
  Var h = step(step(start()));
  backward(h, constant<Batch, Hidden>({10.0, 0.0}));
  backward(h, constant<Batch, Hidden>({1.0, 5.0}));
  CHECK(gradients_of(step.w) == std::vector<double>{40 + 4});
}

TEST_CASE("clipping sees the deferred gradients, and they do not come back") {
  Recurrence step;
  Tape tape;
  Var loss = sum(step(step(step(start()))));
  backward(loss);
  CHECK(clip_by_global_norm(step.w, 1) == 12);
  CHECK_THAT(step.w.gradients()[0], WithinRel(1.0));
  tape.reset();
  Var next = sum(step(step(start())));
  backward(next);
  CHECK_THAT(step.w.gradients()[0], WithinRel(1.0 + 4));
}

TEST_CASE("a pass that breaks off leaves nothing for the next one") {
  Recurrence step;
  Tape tape;
  const auto x = variable<Batch, Hidden>({1.0, 0.0});
  auto y = detail::result<double, Batch, Hidden>(x.extents, x);
  y = detail::record("breaks(%0)", y, [] { throw Error("broken"); }, x);
  Var loss = sum(step(y));
  CHECK_THROWS_AS(backward(loss), Error);
  tape.reset();
  Var next = sum(step(step(start())));
  backward(next);
  CHECK(gradients_of(step.w) == std::vector<double>{4});
}
