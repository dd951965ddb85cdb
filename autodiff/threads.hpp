// Threads: how many the kernels may use, and how work is split over them.
//
// Only what has no order is split: every element of a result is computed by one thread, in the order in which one
// thread alone would compute it. So the number of threads changes no bit of any result.
#pragma once

#include <algorithm>
#include <cstddef>

namespace hindsight {

/// How many threads kernels use for large work: 1, or what the environment variable HINDSIGHT_THREADS says, until
/// set_threads. Throws Error for a variable that is no number from 1 to 1024.
std::size_t threads();

/// Lets kernels use so many threads. Throws Error for a number that is not from 1 to 1024.
void set_threads(std::size_t count);

namespace detail {

/// Runs work(context, part) for the parts 0 .. parts - 1, each once, on as many threads as threads() says; returns
/// when all are done. The first exception of a part is thrown again. Inside of a part it runs on this thread alone.
void run_parts(std::size_t parts, void (*work)(const void* context, std::size_t part), const void* context);

/// Runs work(begin, end) over ranges that make up [0, count). They begin at multiples of `unit`, and there are at most
/// `most` of them: one for each thread, and twice as many if there are units enough, so that a thread that the system
/// holds up is not waited for long.
template <class Work>
void in_ranges(std::size_t count, std::size_t unit, std::size_t most, const Work& work) {
  const std::size_t units = (count + unit - 1) / unit;
  const std::size_t workers = most > 1 ? threads() : 1;
  const std::size_t parts = std::min({most, units, units >= 4 * workers ? 2 * workers : workers});
  if (workers == 1 || parts <= 1) return work(std::size_t{0}, count);
  const auto range = [&](std::size_t part) {
    work(part * units / parts * unit, std::min(count, (part + 1) * units / parts * unit));
  };
  run_parts(parts, [](const void* context, std::size_t part) { (*static_cast<const decltype(range)*>(context))(part); },
            &range);
}

}  // namespace detail
}  // namespace hindsight
