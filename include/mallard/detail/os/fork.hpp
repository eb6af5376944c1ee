// Purpose: handlers around a fork, registered once, with nothing that a fork can leave half done.
//
// A function's static variable will not do: if another thread holds its guard during the fork, the
// child finds it held for ever. So each is registered when the code is loaded, before there are
// threads, and also by any earlier caller; the second registration has no effect.
#pragma once

#include <pthread.h>

#include <atomic>

namespace mallard::inline v1::detail::os {

class fork_handlers {
 public:
  using handler = void (*)();
  constexpr fork_handlers(handler before, handler after, handler in_child) noexcept
      : before_(before), after_(after), in_child_(in_child) {}

  // The handler registered first runs last before a fork and first after it.
  void register_once() noexcept {
    if (registered_.exchange(true, std::memory_order_relaxed)) return;
    pthread_atfork(before_, after_, in_child_);
  }

 private:
  handler before_;
  handler after_;
  handler in_child_;
  std::atomic<bool> registered_{false};
};

}  // namespace mallard::inline v1::detail::os
