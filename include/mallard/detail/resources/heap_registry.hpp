// Purpose: knows all synchronized resources and which thread has which of their heaps, and handles
// the ends of threads and forks. One lock for the whole program, the registry's, guards all of that
// and what ended threads left. It is never held while an upstream or other foreign code runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "mallard/detail/resources/thread_heap.hpp"
#include "mallard/detail/resources/thread_heaps.hpp"

namespace mallard::inline v1::detail {

// The heaps of one thread, in a ring. A thread with more than a few has a table of them all, which
// only the thread itself reads.
struct heaps_of_thread {
  // Guarded by the registry's lock.
  thread_heap* heaps;
  thread_heap* to_enter;  // the next one to enter in the table that is being filled; null: none
  std::size_t count;
  heaps_of_thread* next_with_table;
  heaps_of_thread* prev_with_table;

  bool ended;
  known_heap* table;  // open addressing, at most half full; entries of dead resources match none
  std::size_t table_size;
  std::size_t table_used;
};

// The calling thread's heaps; null when it is ending: it has no heaps any more and gets none.
heaps_of_thread* heaps_of_this_thread();

// Differs between threads. In a child it is that of the thread that forked.
const void* this_thread_name() noexcept;

std::uint64_t new_identity() noexcept;

// Registers the handlers that take the locks of all resources before a fork.
void hold_resources_across_fork() noexcept;

// The calling thread's heap of the resource; null: none. O(1), and no lock with a table.
thread_heap* find_heap(const heaps_of_thread& thread, const thread_heaps& resource) noexcept;
// Gives the calling thread a heap. O(1) amortised; the registry's lock is held O(1) at a time, even
// while the table grows. Without memory for a table, heaps are searched for in the ring.
void attach(heaps_of_thread& thread, thread_heap& heap) noexcept;

// Frees the tables of live threads when no resource is left. For code that is unloaded.
void drop_tables() noexcept;

// Require the registry's lock.
void enroll(thread_heaps& resource) noexcept;
void strike_off(thread_heaps& resource) noexcept;
void detach(thread_heap& heap) noexcept;

}  // namespace mallard::inline v1::detail
