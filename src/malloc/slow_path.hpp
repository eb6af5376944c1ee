// Purpose: tells what a thread is in the middle of, for code that interrupts it: a signal handler
// that allocates or forks, and the handlers of a fork.
#pragma once

#include <atomic>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

struct thread_progress {
  volatile unsigned depth;       // slow paths and locks that the thread is inside of
  volatile bool has_every_lock;  // between the handlers before a fork and after it
};
[[gnu::tls_model("initial-exec")]] extern constinit thread_local thread_progress progress;

// While this lives, much is half done. A signal handler that interrupts the thread then finds it
// nested, and uses only what is neither half done nor locked.
class slow_path {
 public:
  slow_path() noexcept : nested_(progress.depth != 0) { enter(); }
  ~slow_path() { leave(); }
  slow_path(const slow_path&) = delete;
  slow_path& operator=(const slow_path&) = delete;

  bool nested() const noexcept { return nested_; }
  // Whether one made now would be nested.
  static bool is_inside() noexcept { return progress.depth != 0; }
  // Whether the thread is inside of more than one, so that it may hold a lock.
  static bool may_hold_lock() noexcept { return progress.depth > 1; }

  static void enter() noexcept {
    progress.depth = progress.depth + 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  static void leave() noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    progress.depth = progress.depth - 1;
  }

 private:
  bool nested_;
};

}  // namespace mallard::inline v1::detail
