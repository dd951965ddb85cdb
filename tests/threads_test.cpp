// Work split over threads: every part once, the same bits for any number of threads, failures that arrive.
#include "autodiff/threads.hpp"

#include <atomic>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "autodiff/backward.hpp"
#include "autodiff/error.hpp"
#include "autodiff/reductions.hpp"
#include "layers/lstm.hpp"
#include "layers/unroll.hpp"

namespace {

using namespace hindsight;

struct Time : Axis<> {};
struct Batch : Axis<> {};
struct In : Axis<96> {};
struct Hidden : Axis<160> {};

/// So many threads while it lives.
struct Threads {
  explicit Threads(std::size_t count) { set_threads(count); }
  ~Threads() { set_threads(1); }
};

/// The loss, the outputs and all gradients of an LSTM over a few steps.
std::vector<float> training_step() {
  Lstm<In, Hidden> cell;
  initialise(cell, 1);
  std::vector<float> numbers(3 * 70 * 96);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(Random{2}.normal(i));
  Tape tape;
  const auto xs = variable<Time, Batch, In>(numbers, extent<Time>(3), extent<Batch>(70));
  const auto run = unroll(cell, xs, cell.initial(extent<Batch>(70)));
  Var loss = mean(square(run.outputs));
  backward(loss);
  std::vector<float> all{loss.item()};
  const auto append = [&](const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  append(run.outputs.values());
  append(xs.gradients());
  for_each_parameter(cell, [&](const Path&, const auto& parameter) { append(parameter.gradients()); });
  return all;
}

}  // namespace

TEST_CASE("every index is worked on once, whatever the numbers of threads, units and parts", "[threads]") {
  for (const std::size_t count : {1, 2, 3, 5})
    for (const std::size_t size : {0, 1, 7, 8, 9, 64, 1001})
      for (const std::size_t most : {0, 1, 2, 100}) {
        const Threads threads(count);
        std::vector<std::atomic<int>> seen(size);
        detail::in_ranges(size, 8, most, [&](std::size_t begin, std::size_t end) {
          REQUIRE(begin % 8 == 0);
          for (std::size_t i = begin; i < end; ++i) ++seen[i];
        });
        for (const auto& times : seen) REQUIRE(times == 1);
      }
}

TEST_CASE("rounds of work follow each other without losing or repeating a part", "[threads]") {
  const Threads threads(3);
  std::atomic<std::uint64_t> sum{0};
  for (std::uint64_t round = 0; round < 20'000; ++round)
    detail::in_ranges(4, 1, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sum += round * (i + 1);
    });
  CHECK(sum == 10u * (20'000ull * 19'999ull / 2));
}

TEST_CASE("a training step has the same bits on any number of threads", "[threads]") {
  const std::vector<float> one = training_step();
  for (const std::size_t count : {2, 3, 4}) {
    const Threads threads(count);
    CHECK(training_step() == one);
  }
}

TEST_CASE("two programs' threads at once: each has its own results", "[threads]") {
  const std::vector<float> one = training_step();
  const Threads threads(2);
  std::vector<float> first, second;
  std::thread other([&] { first = training_step(); });
  second = training_step();
  other.join();
  CHECK(first == one);
  CHECK(second == one);
}

TEST_CASE("a part may split work again, and does it alone", "[threads]") {
  const Threads threads(2);
  std::atomic<int> sum{0};
  detail::in_ranges(8, 1, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      detail::in_ranges(8, 1, 8, [&](std::size_t b, std::size_t e) { sum += static_cast<int>(e - b); });
  });
  CHECK(sum == 64);
}

TEST_CASE("an exception of a part arrives, and the next work is done", "[threads]") {
  const Threads threads(2);
  const auto fail = [](std::size_t begin, std::size_t end) {
    if (begin <= 3 && 3 < end) throw std::runtime_error("part of 3");
  };
  CHECK_THROWS_WITH(detail::in_ranges(4, 1, 4, fail), "part of 3");
  std::atomic<std::size_t> done{0};
  detail::in_ranges(4, 1, 4, [&](std::size_t begin, std::size_t end) { done += end - begin; });
  CHECK(done == 4);
}

TEST_CASE("a number of threads out of range is refused, and the setting stays", "[threads]") {
  const Threads threads(2);
  CHECK_THROWS_WITH(set_threads(0), "set_threads: 0 threads; a number from 1 to 1024 was expected");
  CHECK_THROWS_AS(set_threads(1025), Error);
  CHECK(hindsight::threads() == 2);
}
