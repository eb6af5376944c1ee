// Purpose: blocks on their way back to the heap they came from.
#pragma once

#include <atomic>

#include "malloc_checks.hpp"

namespace mallard::inline v1::detail {

// What a free block holds on its way.
class remote_block {
 public:
  explicit remote_block(remote_block* next) noexcept { set_next(next); }
  void set_next(remote_block* next) noexcept { link_ = checks::link(this, next); }
  remote_block* next() const noexcept {
    return static_cast<remote_block*>(checks::linked(this, link_));
  }

 private:
  void* link_;
};

// Lock-free: any thread pushes, one thread at a time takes all.
class remote_list {
 public:
  bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }

  void push(remote_block* first, remote_block* last) noexcept {
    remote_block* before = head_.load(std::memory_order_relaxed);
    do {
      last->set_next(before);
    } while (!head_.compare_exchange_weak(before, first, std::memory_order_release,
                                          std::memory_order_relaxed));
  }

  remote_block* take_all() noexcept { return head_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<remote_block*> head_{nullptr};
};

}  // namespace mallard::inline v1::detail
