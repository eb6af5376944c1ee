// Purpose: a list of free blocks on their way back to the heap they came from. Lock-free: any
// thread pushes, one thread at a time takes all.
#pragma once

#include <atomic>

namespace mallard::inline v1::detail {

// `Block` is what a free block holds on its way; `set_next` links it.
template <class Block>
class remote_list {
 public:
  bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }
  // The same in one order with all pushes and other sequentially consistent operations.
  bool empty_in_order() const noexcept { return head_.load(std::memory_order_seq_cst) == nullptr; }

  // Blocks that are linked already.
  void push(Block* first, Block* last) noexcept {
    Block* before = head_.load(std::memory_order_relaxed);
    do {
      last->set_next(before);
    } while (!head_.compare_exchange_weak(before, first, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  }

  Block* take_all() noexcept { return head_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<Block*> head_{nullptr};
};

}  // namespace mallard::inline v1::detail
