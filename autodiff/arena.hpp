// Memory that is handed out by moving a pointer and taken back all at once.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace hindsight {

/// Blocks of doubling size, aligned for the widest vector. `reset` keeps them, so that a training
/// step which has been seen before takes nothing from the heap.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  /// `bytes` of uninitialised memory, aligned to `alignment`.
  std::byte* allocate(std::size_t bytes) {
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    if (block_ == blocks_.size() || used_ + rounded > blocks_[block_].size) next_block(rounded);
    std::byte* memory = blocks_[block_].memory.get() + used_;
    used_ += rounded;
    return memory;
  }

  /// Takes everything back; the blocks stay for the next recording.
  void reset() {
    block_ = 0;
    used_ = 0;
  }

  /// Bytes held, in use or not.
  std::size_t capacity() const;

  /// Bytes handed out since the last reset, with what was lost at the ends of blocks.
  std::size_t used() const;

 private:
  struct Free {
    std::align_val_t alignment;
    void operator()(std::byte* memory) const;
  };
  struct Block {
    std::unique_ptr<std::byte[], Free> memory;
    std::size_t size;
  };

  void next_block(std::size_t bytes);

  std::vector<Block> blocks_;
  std::size_t block_ = 0;  // the block that is being filled
  std::size_t used_ = 0;   // bytes of it that are taken
};

}  // namespace hindsight
