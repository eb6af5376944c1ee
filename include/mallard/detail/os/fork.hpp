// Purpose: handlers around a fork, registered once, with nothing that a fork can leave half done.
//
// A function's static variable will not do: its guard, held by another thread at the instant of the
// fork, is held for ever in the child. So each is registered when the code is loaded, before there
// are threads, and again by whoever comes still earlier, in which case the second has no effect.
#pragma once

#include <pthread.h>

#include <atomic>

namespace mallard::inline v1::detail::os {

class fork_handlers {
 public:
  using handler = void (*)();
  constexpr fork_handlers(handler before, handler after, handler in_child) noexcept
      : before_(before), after_(after), in_child_(in_child) {}

  // The one of two that was registered first runs last before a fork and first after it.
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
