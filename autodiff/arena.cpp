#include "autodiff/arena.hpp"

#include <algorithm>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace hindsight {
namespace {

constexpr std::size_t huge_page = std::size_t{1} << 21;

/// Large blocks lie in huge pages where the system has them: a backward pass walks over hundreds of
/// megabytes, and small pages would be looked up all the way.
void use_huge_pages([[maybe_unused]] std::byte* memory, [[maybe_unused]] std::size_t size) {
#ifdef __linux__
  madvise(memory, size, MADV_HUGEPAGE);  // a wish: where it is refused, nothing is lost
#endif
}

}  // namespace

void Arena::Free::operator()(std::byte* memory) const { ::operator delete(memory, alignment); }

std::size_t Arena::capacity() const {
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.size;
  return bytes;
}

std::size_t Arena::used() const {
  std::size_t bytes = used_;
  for (std::size_t b = 0; b < block_ && b < blocks_.size(); ++b) bytes += blocks_[b].size;
  return bytes;
}

// Moves on to the next block that is large enough; blocks that are too small stay empty until reset.
void Arena::next_block(std::size_t bytes) {
  constexpr std::size_t smallest = std::size_t{1} << 16;
  if (block_ < blocks_.size()) ++block_;
  while (block_ < blocks_.size() && blocks_[block_].size < bytes) ++block_;
  if (block_ == blocks_.size()) {
    const std::size_t size = std::max({smallest, bytes, blocks_.empty() ? 0 : 2 * blocks_.back().size});
    const std::align_val_t at{size < huge_page ? alignment : huge_page};
    auto* memory = static_cast<std::byte*>(::operator new(size, at));
    if (size >= huge_page) use_huge_pages(memory, size);
    blocks_.push_back({std::unique_ptr<std::byte[], Free>(memory, Free{at}), size});
  }
  used_ = 0;
}

}  // namespace hindsight
