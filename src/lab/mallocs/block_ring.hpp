// A bounded queue of blocks from one thread to another.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

namespace mallard::lab {

// Single producer, single consumer, no locks. Each side has its counter on its own cache line.
class block_ring {
 public:
  static constexpr std::size_t capacity = 256;

  // Returns: false if it is full.
  bool push(void* block) noexcept {
    const std::size_t at = pushed_.load(std::memory_order_relaxed);
    if (at - popped_.load(std::memory_order_acquire) == capacity) return false;
    slots_[at % capacity] = block;
    pushed_.store(at + 1, std::memory_order_release);
    return true;
  }

  // Returns: null if it is empty.
  void* pop() noexcept {
    const std::size_t at = popped_.load(std::memory_order_relaxed);
    if (at == pushed_.load(std::memory_order_acquire)) return nullptr;
    void* block = slots_[at % capacity];
    popped_.store(at + 1, std::memory_order_release);
    return block;
  }

  // Called by the producer: no more blocks will come, for instance for lack of memory.
  void close() noexcept { closed_.store(true, std::memory_order_release); }
  // Call it before pop(): if it was true and pop() returns null, nothing is left.
  bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }

 private:
  alignas(128) std::atomic<std::size_t> pushed_{0};
  alignas(128) std::atomic<std::size_t> popped_{0};
  alignas(128) std::atomic<bool> closed_{false};
  alignas(128) std::array<void*, capacity> slots_{};
};

}  // namespace mallard::lab
