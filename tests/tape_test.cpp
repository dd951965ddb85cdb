#include "autodiff/tape.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_floating_point.hpp>
#include <pthread.h>

#include <functional>
#include <limits>

#include "autodiff/backward.hpp"
#include "autodiff/gather.hpp"
#include "autodiff/join.hpp"
#include "autodiff/reductions.hpp"
#include "tests/error_text.hpp"
#include "tests/kernel_data.hpp"

using namespace hindsight;
using Catch::Matchers::WithinRel;

namespace {

struct Batch : Axis<> {};
struct Two : Axis<2> {};
struct Three : Axis<3> {};

}  // namespace

TEST_CASE("backward twice on one recording is an error that says what to do") {
  Tape tape;
  const auto x = variable(2.0);
  const Var y = 3 * x;
  const Var loss = y * y;
  backward(loss);
  CHECK(x.gradient_at() == 36);
  CHECK(says(error_text<TapeError>([&] { backward(loss); }), {"backward(loss)", "reset", "seed"}));
  CHECK(x.gradient_at() == 36);
  CHECK_THROWS_AS(backward(y), TapeError);
  tape.reset();
  const auto again = variable(2.0);
  backward(Var(again * 5));
  CHECK(again.gradient_at() == 5);
}

TEST_CASE("backward with a seed clears the inner gradients between calls") {
  Tape tape;
  const auto x = variable(2.0);
  const Var y = 3 * x;
  const Var z = y * y;
  for (int i = 0; i < 3; ++i) {
    backward(z, constant<>({1.0}));
    CHECK(x.gradient_at() == 36);
    CHECK(y.gradient_at() == 12);
  }
  backward(z, constant<>({0.5}));
  CHECK(x.gradient_at() == 18);
  backward(y, constant<>({1.0}));
  CHECK(x.gradient_at() == 3);
  CHECK(z.gradient_at() == 0);
}

TEST_CASE("two losses before one update add up in a parameter") {
  Parameter<double> p;
  p.edit()[0] = 2;
  Tape tape;
  backward(Var(p * 1.0));
  tape.reset();
  backward(Var(p * 5.0));
  CHECK(p.gradients()[0] == 6);
}

TEST_CASE("a recording that is reused has nothing left of the one before") {
  Tape tape;
  std::size_t size = 0, capacity = 0;
  for (int round = 0; round < 1000; ++round) {
    const auto x = variable(2.0);
    backward(Var(3 * x));
    REQUIRE(x.gradient_at() == 3);
    tape.reset();
    const auto z = variable(2.0);
    backward(Var(z * z));
    REQUIRE(z.gradient_at() == 4);
    if (round == 2) size = tape.size(), capacity = tape.capacity();
    if (round > 2) REQUIRE((tape.size() == size && tape.capacity() == capacity));
    tape.reset();
    REQUIRE(tape.size() == 0);
    REQUIRE(tape.last() == nullptr);
  }
}

TEST_CASE("10000 training steps with a running loss hold no more memory than 3") {
  Tape tape;
  Parameter<float, Two, Three> w;
  double total = 0;
  std::size_t capacity = 0;
  for (int step = 0; step < 10000; ++step) {
    tape.reset();
    const Var loss = sum(square(contract<Two>(constant<Two>({1.0f, 2.0f}), w) - 1));
    backward(loss);
    total += loss.item();
    if (step == 2) capacity = tape.capacity();
  }
  CHECK(tape.capacity() == capacity);
  CHECK(total == 30000);
}

TEST_CASE("gradients are zeros before a backward pass, and where none came") {
  for (int round = 0; round < 2; ++round) {
    Tape tape;
    for (int recording = 0; recording < 2; ++recording) {
      tape.reset();
      filled<double, Batch>(7.0, extent<Batch>(1000));  // so that the memory is not zeros
      tape.reset();
      const auto x = variable<Batch>(std::vector<double>(100, 1.0), extent<Batch>(100));
      const Var y = x * 2;
      CHECK(x.gradients() == std::vector<double>(100));
      CHECK(y.gradients() == std::vector<double>(100));
      const auto unused = variable<Batch>(std::vector<double>(100, 1.0), extent<Batch>(100));
      backward(Var(sum(y)));
      CHECK(x.gradients() == std::vector<double>(100, 2.0));
      CHECK(unused.gradients() == std::vector<double>(100));
    }
  }
}

TEST_CASE("detach cuts the past off, and only there") {
  Tape tape;
  const auto x = variable(3.0);
  const Var y = x * x;
  const Var z = detach(y) * x + y;
  CHECK(z.item() == 36);
  backward(z);
  CHECK(x.gradient_at() == 15);
  CHECK(y.gradient_at() == 1);
}

TEST_CASE("nothing is recorded while NoRecording lives, and values are the same bits") {
  Tape tape;
  Parameter<float, Two, Three> w;
  for (std::size_t i = 0; float& e : w.edit()) e = 0.1f * static_cast<float>(++i);
  const auto x = variable<Batch, Two>(numbers<float>(14, "x"), extent<Batch>(7));
  const auto f = [&] {
    const Var h = tanh(contract<Two>(x, w)) + 1;
    return Var(softmax<Three>(transpose<Three, Batch>(h)) * sigmoid(h));
  };
  const Var recorded = f();
  const std::size_t size = tape.size();
  {
    const NoRecording guard;
    const auto y = f();
    CHECK(tape.size() == size);
    CHECK_FALSE(y.has_gradient());
    CHECK(same_bits(y.values(), recorded.values()));
    { const NoRecording inner; }
    CHECK_FALSE(tape.recording());
    CHECK_FALSE(variable(1.0).has_gradient());
    CHECK_THROWS_AS(backward(Var(sum(y))), TapeError);
  }
  CHECK(tape.recording());
  Var loss = sum(f());
  backward(loss);
  for (const float g : w.gradients()) CHECK(g != 0);
}

TEST_CASE("a recording that begins in the middle takes what came before as constants") {
  Tape tape;
  const auto x = variable(3.0);
  const auto before = [&] {
    const NoRecording guard;
    return Var(x * x);
  }();
  backward(Var(before * x));
  CHECK(x.gradient_at() == 9);
}

TEST_CASE("entries that do not lead to y put nothing into the gradients, whatever their slopes") {
  Tape tape;
  const auto x = variable(0.0);
  const auto w = variable(2.0);
  const Var beside = log(x) / x;
  const Var y = (x + 1) * w;
  const Var after = log(x * 0) * y + sqrt(x) / x;
  const Var y2 = at<Two>(stack<Two>(std::vector<Var<double>>{y, y}), 0);
  CHECK(std::isnan(after.item()));
  for (const auto& from : {y, y2}) {
    backward(from, constant<>({1.0}));
    CHECK(x.gradient_at() == 2);
    CHECK(w.gradient_at() == 1);
    CHECK(after.gradient_at() == 0);
    CHECK(beside.gradient_at() == 0);
  }
}

TEST_CASE("backward from a leaf, a view, and a parameter's view") {
  Tape tape;
  const auto x = variable<Two, Three>({1., 2., 3., 4., 5., 6.});
  backward(at<Three>(x, 1), constant<Two>({1., 10.}));
  CHECK(x.gradients() == std::vector{0., 1., 0., 0., 10., 0.});
  const Var y = x * x;
  backward(at<Two>(transpose<Three, Two>(y), 1), constant<Three>({1., 1., 1.}));
  CHECK(x.gradients() == std::vector{0., 0., 0., 8., 10., 12.});
  backward(at<Three>(at<Two>(y, 0), 2));
  CHECK(x.gradients() == std::vector{0., 0., 6., 0., 0., 0.});
}

namespace {

/// Runs f in a thread whose stack is 256 KiB.
void in_a_small_stack(std::function<void()> f) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, std::size_t{256} << 10) == 0);
  pthread_t thread;
  const auto run = [](void* work) -> void* {
    (*static_cast<std::function<void()>*>(work))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &f) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

constexpr int million = 1'000'000;

Var<double> chain(Var<double> y, int steps) {
  for (int i = 0; i < steps; ++i) y = y * 0.99999;
  return y;
}

}  // namespace

TEST_CASE("a chain of a million steps needs no stack") {
  double value = 0, slope = 0;
  in_a_small_stack([&] {
    Tape tape;
    const auto w = constant<>({0.99999});
    const auto start = variable(1.0);
    Var<double> y = start;
    for (int i = 0; i < million; ++i) y = y * w;
    const Var<double> last = std::move(y);
    value = last.item();
    backward(last);
    slope = start.gradient_at();
  });
  CHECK_THAT(value, WithinRel(4.53976598e-5, 1e-8));
  CHECK_THAT(value, WithinRel(std::pow(0.99999, million), 1e-9));
  CHECK_THAT(slope, WithinRel(value, 1e-9));
}

TEST_CASE("a long chain is dropped without a backward pass, and after an exception half way") {
  std::string thrown;
  double slope = 0;
  in_a_small_stack([&] {
    {
      Tape tape;
      chain(variable(1.0), million);
    }
    Tape tape;
    thrown = error_text([] {
      const auto y = chain(variable(1.0), million / 2);
      gather<Batch, Two>(variable<Batch, Three>({y.item(), 0., 0.}, extent<Batch>(1)), std::vector<std::int32_t>{0, 1});
    });
    tape.reset();
    const auto x = variable(2.0);
    backward(chain(x, 1));
    slope = x.gradient_at();
  });
  CHECK(says(thrown, {"id 1", "position 1"}));
  CHECK(slope == 0.99999);
}

TEST_CASE("a training step records on its own tape, whatever tapes are newer, and leaves nothing behind") {
  Tape kept;
  kept.occasion.training = false;
  Tape newer;
  for (std::uint64_t n = 0; n < 3; ++n) {
    const TrainingStep step(kept, 7, n);
    CHECK(&Tape::current() == &kept);
    CHECK(kept.size() == 0);
    CHECK((kept.occasion.training && kept.occasion.seed == 7 && kept.occasion.step == n));
    {
      const Tape within;  // what is evaluated in between has a tape of its own
      CHECK(&Tape::current() == &within);
    }
    const auto x = variable(3.0);
    const Var y = x * x;
    backward(y);
    CHECK(x.gradient_at() == 6);
  }
  CHECK(&Tape::current() == &newer);
  CHECK(newer.size() == 0);
  CHECK_FALSE(kept.occasion.training);
}

#ifdef __SSE__
TEST_CASE("a gradient below the smallest normal number is 0, and the processor is left as it was") {
  Tape tape;
  const auto x = variable(1.0F);
  const Var y = x * 1e-20F * 1e-19F;  // 1e-39 is subnormal
  CHECK(y.item() > 0);
  backward(y);
  CHECK(x.gradient_at() == 0);
  const auto z = variable(1.0F);
  const Var kept = z * 1e-20F * 1e-17F;
  CHECK(jacobian(kept, z)[0] > 0);
  volatile float smallest = std::numeric_limits<float>::min();
  CHECK(smallest / 2 > 0);
}
#endif
