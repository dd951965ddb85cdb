#include "autodiff/arena.hpp"

#include <algorithm>
#include <new>

namespace hindsight {

void Arena::Free::operator()(std::byte* memory) const { ::operator delete(memory, std::align_val_t{alignment}); }

std::size_t Arena::capacity() const {
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.size;
  return bytes;
}

// Moves on to the next block that is large enough; blocks that are too small stay empty until reset.
void Arena::next_block(std::size_t bytes) {
  constexpr std::size_t smallest = std::size_t{1} << 16;
  if (block_ < blocks_.size()) ++block_;
  while (block_ < blocks_.size() && blocks_[block_].size < bytes) ++block_;
  if (block_ == blocks_.size()) {
    const std::size_t size = std::max({smallest, bytes, blocks_.empty() ? 0 : 2 * blocks_.back().size});
    auto* memory = static_cast<std::byte*>(::operator new(size, std::align_val_t{alignment}));
    blocks_.push_back({std::unique_ptr<std::byte[], Free>(memory), size});
  }
  used_ = 0;
}

}  // namespace hindsight
