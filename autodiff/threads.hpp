// Threads: how many the kernels may use, and how work is split over them.
//
// Only what has no order is split: every element of a result is computed by one thread, in the order in which one
// thread alone would compute it. So the number of threads changes no bit of any result.
#pragma once

#include <algorithm>
#include <cstddef>

namespace hindsight {

/// How many threads kernels may use: 1, or what the environment variable HINDSIGHT_THREADS says, until set_threads.
/// Always 1 where the library was built without OpenMP. Throws Error for a variable that is no number from 1 on.
std::size_t threads();

/// Lets kernels use so many threads, at least 1. Small work is done by one all the same. Throws Error for 0.
void set_threads(std::size_t count);

namespace detail {

/// Runs work(context, part) for the parts 0 .. parts - 1, each on a thread of its own.
void run_parts(std::size_t parts, void (*work)(const void* context, std::size_t part), const void* context);

/// Runs work(begin, end) over ranges that make up [0, count), a thread each. Ranges begin at multiples of `unit`, and
/// there are at most `most` of them.
template <class Work>
void in_ranges(std::size_t count, std::size_t unit, std::size_t most, const Work& work) {
  const std::size_t units = (count + unit - 1) / unit;
  const std::size_t parts = std::min({most, units, most > 1 ? threads() : 1});
  if (parts <= 1) return work(std::size_t{0}, count);
  const auto range = [&](std::size_t part) {
    work(part * units / parts * unit, std::min(count, (part + 1) * units / parts * unit));
  };
  run_parts(parts, [](const void* context, std::size_t part) { (*static_cast<const decltype(range)*>(context))(part); },
            &range);
}

}  // namespace detail
}  // namespace hindsight
