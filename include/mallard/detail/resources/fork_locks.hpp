// Purpose: locks that are held across a fork, so that the child finds whole what they guard.
#pragma once

#include <mutex>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail {

// Of an object that is never destroyed. Whoever holds it takes no lock but that of the page source.
struct fork_lock {
  std::mutex mutex;
  fork_lock* next = nullptr;
};

// From now on the lock is taken before a fork and released after it, in the child too.
MALLARD_API void hold_across_fork(fork_lock& lock) noexcept;

}  // namespace mallard::inline v1::detail
