#include "autodiff/learned.hpp"

#include <atomic>

namespace hindsight::detail {

std::uint64_t next_walk() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace hindsight::detail
