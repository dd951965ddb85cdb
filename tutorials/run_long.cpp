// Long runs: threads, progress, Ctrl-C.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>

#include "tutorials/program.hpp"

namespace hindsight::tutorial {
namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

volatile std::sig_atomic_t pressed = 0;

void on_interrupt(int signal) {
  pressed = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void in_parallel(std::size_t count, const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < count;) {
      try {
        job(i);
      } catch (...) {
        const std::scoped_lock lock(failing);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < std::thread::hardware_concurrency() && t < count; ++t) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

Progress::Progress(std::string what, std::size_t steps) : what_(std::move(what)), steps_(steps), begun_(seconds()) {}

void Progress::show(std::size_t step, const std::string& now) {
  constexpr double every = 5;  // seconds
  const double t = seconds();
  if (!first_) first_ = step > 0 ? step - 1 : 0;
  if (step < steps_ && t - shown_ < every) return;
  shown_ = t;
  const double rate = static_cast<double>(step - *first_) / std::max(t - begun_, 1e-9);
  const double left = step < steps_ ? static_cast<double>(steps_ - step) / rate : 0;
  std::fprintf(stderr, "%s\n", text("%s step %zu of %zu  %s  %.3g steps/s  %.0f s left", what_.c_str(), step, steps_, now.c_str(),
                                    rate, left).c_str());
}

bool interrupted() {
  static const bool listening = [] {
    std::signal(SIGINT, on_interrupt);
    std::signal(SIGTERM, on_interrupt);
    return true;
  }();
  return listening && pressed;
}

}  // namespace hindsight::tutorial
