// Workers that are kept. They look for work for some microseconds and then sleep; parts are taken one by one by
// whoever is free, so that a worker which the system has no core for is not waited for. (OpenMP's threads go on looking
// for milliseconds: beside another busy process a training step took five times as long with two of them as with one.)
#include "autodiff/threads.hpp"

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "autodiff/error.hpp"
#include "autodiff/float_mode.hpp"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace hindsight {
namespace {

constexpr std::size_t most_threads = 1024;

/// Waits until `value` is no longer `old`: awake for some microseconds, then asleep.
template <class T>
void wait_for_change(const std::atomic<T>& value, T old) {
  for (int looks = 0; looks < 4000; ++looks) {
    if (value.load(std::memory_order_acquire) != old) return;
#ifdef __SSE__
    _mm_pause();
#endif
  }
  value.wait(old, std::memory_order_acquire);
}

class Workers {
 public:
  ~Workers() { resize(0); }

  void resize(std::size_t count) {
    while (in_use_.exchange(true)) in_use_.wait(true);
    const Release release{in_use_};
    ending_ = true;
    announce(0);
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    ending_ = false;
    while (workers_.size() < count) workers_.emplace_back([this] { serve(); });
  }

  void run(std::size_t parts, void (*work)(const void*, std::size_t), const void* context) {
    if (in_use_.exchange(true)) {  // another thread's work is under way, or this is a part of some
      for (std::size_t part = 0; part < parts; ++part) work(context, part);
      return;
    }
    const Release release{in_use_};
    failure_ = nullptr;
    work_.store(work, std::memory_order_relaxed);
    context_.store(context, std::memory_order_relaxed);
    mode_.store(FloatMode::current(), std::memory_order_relaxed);
    unfinished_.store(parts, std::memory_order_relaxed);
    announce(parts);
    take_parts(round_);
    for (std::size_t left = unfinished_.load(std::memory_order_acquire); left > 0; left = unfinished_.load())
      wait_for_change(unfinished_, left);
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// Lets others use the workers when it ends.
  struct Release {
    std::atomic<bool>& in_use;
    ~Release() {
      in_use = false;
      in_use.notify_one();
    }
  };

  // A round's number and how many of its parts are still to be taken, in one word: a part is taken only of the round
  // whose work was read, since the next round begins when all parts of this one are done.
  static constexpr unsigned part_bits = 24;
  static std::uint64_t left_in(std::uint64_t state) { return state & ((std::uint64_t{1} << part_bits) - 1); }

  void announce(std::size_t parts) {
    state_.store(++round_ << part_bits | parts, std::memory_order_release);
    state_.notify_all();
  }

  void take_parts(std::uint64_t round) {
    for (;;) {
      const auto work = work_.load(std::memory_order_relaxed);
      const void* const context = context_.load(std::memory_order_relaxed);
      std::uint64_t state = state_.load(std::memory_order_acquire);
      do {
        if (state >> part_bits != round || left_in(state) == 0) return;
      } while (!state_.compare_exchange_weak(state, state - 1, std::memory_order_acq_rel));
      try {
        work(context, left_in(state) - 1);
      } catch (...) {
        const std::lock_guard guard(failing_);
        if (!failure_) failure_ = std::current_exception();
      }
      if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
    }
  }

  void serve() {
    while (!ending_) {
      const std::uint64_t state = state_.load(std::memory_order_acquire);
      if (left_in(state) == 0) {
        wait_for_change(state_, state);
      } else {
        const UseFloatMode as_the_caller(mode_.load(std::memory_order_relaxed));
        take_parts(state >> part_bits);
      }
    }
  }

  std::atomic<bool> in_use_{false};
  std::mutex failing_;
  std::vector<std::thread> workers_;
  std::uint64_t round_ = 0;
  std::atomic<std::uint64_t> state_{0};
  std::atomic<std::size_t> unfinished_{0};
  std::atomic<void (*)(const void*, std::size_t)> work_{nullptr};
  std::atomic<const void*> context_{nullptr};
  std::atomic<FloatMode> mode_;
  std::exception_ptr failure_;
  std::atomic<bool> ending_{false};
};

std::size_t threads_of_environment() {
  const char* const text = std::getenv("HINDSIGHT_THREADS");
  if (!text) return 1;
  const std::string_view digits(text);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc{} || end != digits.data() + digits.size() || count == 0 || count > most_threads)
    throw Error("HINDSIGHT_THREADS is \"" + std::string(digits) + "\"; a number of threads from 1 to " +
                std::to_string(most_threads) + " was expected");
  return count;
}

/// The setting, and the workers besides the calling thread.
struct Pool {
  std::size_t threads = threads_of_environment();
  Workers workers;

  Pool() { workers.resize(threads - 1); }
};

Pool& pool() {
  static Pool only;
  return only;
}

}  // namespace

std::size_t threads() { return pool().threads; }

void set_threads(std::size_t count) {
  if (count == 0 || count > most_threads)
    throw Error("set_threads: " + std::to_string(count) + " threads; a number from 1 to " +
                std::to_string(most_threads) + " was expected");
  pool().workers.resize(count - 1);
  pool().threads = count;
}

void detail::run_parts(std::size_t parts, void (*work)(const void*, std::size_t), const void* context) {
  pool().workers.run(parts, work, context);
}

}  // namespace hindsight
