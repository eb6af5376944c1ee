// Purpose: locks held across a fork, so that the child finds intact what they guard.
#pragma once

#include <atomic>
#include <mutex>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

// The lock of an object that is never destroyed. Its holder takes no lock but the page source's.
struct fork_lock {
  std::mutex mutex;
  fork_lock* next = nullptr;
};

// An object with such a lock, made in `storage` by the first caller. A fork finds it made or not
// yet begun, which a function's static variable would not promise.
class shared_object {
 public:
  // `make` makes the object in `storage` and returns its lock, which from then on is held across
  // every fork, and released in the child too.
  template <class T, fork_lock& (*make)(void* storage)>
  T& get(void* storage) noexcept {
    void* const made = made_.load(std::memory_order_acquire);
    return *static_cast<T*>(made != nullptr ? made : make_once(storage, make));
  }

 private:
  MALLARD_API void* make_once(void* storage, fork_lock& (*make)(void*)) noexcept;

  std::atomic<void*> made_{nullptr};
};

}  // namespace mallard::inline v1::detail
