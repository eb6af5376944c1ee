// Purpose: blocks on their way back to the heap they came from.
#pragma once

#include <atomic>

namespace mallard::inline v1::detail {

// What a free block holds on its way.
struct remote_block {
  remote_block* next;
};

// Lock-free: any thread pushes, one thread at a time takes all.
class remote_list {
 public:
  bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }

  void push(remote_block* first, remote_block* last) noexcept {
    last->next = head_.load(std::memory_order_relaxed);
    while (!head_.compare_exchange_weak(last->next, first, std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
  }

  remote_block* take_all() noexcept { return head_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<remote_block*> head_{nullptr};
};

}  // namespace mallard::inline v1::detail
