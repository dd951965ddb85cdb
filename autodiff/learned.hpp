// What an update sees of a module: each parameter once, without the elements that are frozen.
#pragma once

#include <utility>

#include "autodiff/module.hpp"

namespace hindsight {
namespace detail {

/// A number that no two walks of the process share.
std::uint64_t next_walk();

}  // namespace detail

/// Calls visit(path, core) for every parameter, in the order of the walk; for one that is met under
/// several names (tied weights), once, under the first.
template <class M, class Visit>
void for_each_distinct(M& module, Visit&& visit) {
  const std::uint64_t walk = detail::next_walk();
  for_each_parameter(module, [&](const Path& path, auto& p) {
    if (std::exchange(p.core().met, walk) != walk) visit(path, p.core());
  });
}

/// Calls visit(begin, count) for the elements that an update may change: all of them, or those
/// before and after a frozen row.
template <class T, class Visit>
void for_each_learned_run(ParameterCore<T>& core, Visit&& visit) {
  if (core.frozen_begin > 0) visit(std::size_t{0}, core.frozen_begin);
  if (core.frozen_end < core.size()) visit(core.frozen_end, core.size() - core.frozen_end);
}

}  // namespace hindsight
