#include "autodiff/threads.hpp"

#include <charconv>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>

#include "autodiff/error.hpp"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace hindsight {
namespace {

/// How a thread rounds and whether it has subnormal numbers: a part is computed as its caller would.
class Arithmetic {
#ifdef __SSE__
 public:
  void adopt() const { _mm_setcsr(mode_); }

 private:
  unsigned mode_ = _mm_getcsr();
#else
 public:
  void adopt() const {}
#endif
};

std::size_t threads_of_environment() {
  const char* const text = std::getenv("HINDSIGHT_THREADS");
  if (!text) return 1;
  const std::string_view digits(text);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), count);
  if (error != std::errc{} || end != digits.end() || count == 0)
    throw Error("HINDSIGHT_THREADS: it is \"" + std::string(digits) + "\", and a number of threads from 1 on was expected");
  return count;
}

std::size_t& setting() {
  static std::size_t count = threads_of_environment();
  return count;
}

}  // namespace

std::size_t threads() {
#ifdef _OPENMP
  return setting();
#else
  return 1;
#endif
}

void set_threads(std::size_t count) {
  if (count == 0) throw Error("set_threads: 0 threads, and at least 1 was expected");
  setting() = count;
}

void detail::run_parts(std::size_t parts, void (*work)(const void*, std::size_t), const void* context) {
  const Arithmetic callers;
  std::exception_ptr failure;
#ifdef _OPENMP
#pragma omp parallel for num_threads(static_cast<int>(parts)) schedule(static, 1)
#endif
  for (std::size_t part = 0; part < parts; ++part) {
    callers.adopt();
    try {
      work(context, part);
    } catch (...) {  // out of memory, say: no exception may leave a thread
#ifdef _OPENMP
#pragma omp critical
#endif
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hindsight
