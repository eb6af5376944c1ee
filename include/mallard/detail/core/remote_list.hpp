// Purpose: a list of free blocks on their way back to the heap they came from. Lock-free: any
// thread pushes, one thread at a time takes all.
#pragma once

#include "mallard/detail/atomic.hpp"

namespace mallard::inline v1::detail {

// `Block` is what a free block holds on its way; `set_next` links it.
template <class Block>
class remote_list {
 public:
  bool empty() const noexcept { return head_.load(order::relaxed) == nullptr; }
  // The same in one order with all pushes and other sequentially consistent operations.
  bool empty_in_order() const noexcept { return head_.load(order::seq_cst) == nullptr; }

  // Blocks that are linked already.
  void push(Block* first, Block* last) noexcept {
    Block* before = head_.load(order::relaxed);
    do {
      last->set_next(before);
    } while (!head_.compare_exchange_weak(before, first, order::seq_cst, order::relaxed));
  }

  Block* take_all() noexcept { return head_.exchange(nullptr, order::acquire); }

 private:
  atomic<Block*> head_{nullptr};
};

}  // namespace mallard::inline v1::detail
