// Purpose: which synchronized resources there are, which thread has which of their heaps, and what
// happens when a thread ends or the process forks.
//
// One lock for the whole program, the registry's, guards all of that, and what ended threads have
// left behind. It is never held while an upstream or any other foreign code runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "mallard/detail/resources/thread_heap.hpp"
#include "mallard/detail/resources/thread_heaps.hpp"

namespace mallard::inline v1::detail {

// The heaps of one thread: in a list under the registry's lock, and once they are many in a table
// that only the thread itself looks at.
struct heaps_of_thread {
  thread_heap* heaps;
  bool ended;
  known_heap* table;  // open addressing, at most half full; entries of resources gone match none
  std::size_t table_size;
  std::size_t table_used;
  heaps_of_thread* next_with_table;  // under the registry's lock
};

// Of the calling thread; null when it is ending: it has no heaps any more and gets none.
heaps_of_thread* heaps_of_this_thread();

// Differs from thread to thread, and in a child is that of the thread that forked.
const void* this_thread_name() noexcept;

std::uint64_t new_identity() noexcept;

// Registers the handlers that take the locks of all resources before a fork.
void hold_resources_across_fork() noexcept;

// Of the thread's table, without a lock; null when it is not there.
thread_heap* find_in_table(const heaps_of_thread& thread, std::uint64_t identity) noexcept;
// Makes the table large enough for all the thread's heaps, and drops what is gone. Without memory
// it changes nothing.
void renew_table(heaps_of_thread& thread) noexcept;
// Does nothing when there is no room.
void add_to_table(heaps_of_thread& thread, std::uint64_t identity, thread_heap* heap) noexcept;

// What is left when no resource is: the tables of threads that live. For code that is unloaded.
void drop_tables() noexcept;

// Under the registry's lock.
void enroll(thread_heaps& resource) noexcept;
void strike_off(thread_heaps& resource) noexcept;
void attach(heaps_of_thread& thread, thread_heap& heap) noexcept;
void detach(thread_heap& heap) noexcept;

}  // namespace mallard::inline v1::detail
