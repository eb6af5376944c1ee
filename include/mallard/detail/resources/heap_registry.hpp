// Purpose: which synchronized resources there are, which thread has which of their heaps, and what
// happens when a thread ends or the process forks.
#pragma once

#include <cstdint>
#include <mutex>

#include "mallard/detail/resources/synchronized_heaps.hpp"
#include "mallard/detail/resources/thread_heap.hpp"

namespace mallard::inline v1::detail {

struct heaps_of_thread {
  thread_heap* heaps;
  bool ended;
};

std::recursive_mutex& registry_lock() noexcept;

// Of the calling thread; null when it is ending: it has no heaps any more and gets none.
heaps_of_thread* heaps_of_this_thread();

std::uint64_t new_identity() noexcept;

// Registers the handlers that take the locks of all resources before a fork.
void hold_resources_across_fork() noexcept;

// Under the registry's lock.
void enroll(synchronized_heaps& resource) noexcept;
void strike_off(synchronized_heaps& resource) noexcept;
void detach(thread_heap& heap) noexcept;

}  // namespace mallard::inline v1::detail
