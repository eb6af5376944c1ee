// Purpose: all heaps, and those whose threads have ended; how a thread gets one and leaves it.
#pragma once

#include <atomic>
#include <cstddef>

#include "malloc/lock.hpp"
#include "malloc/malloc_heap.hpp"

namespace mallard::inline v1::detail {

class heap_list {
 public:
  // The calling thread's heap: an idle one or a new one. Null when there is no memory.
  malloc_heap* begin_thread() noexcept;
  void end_thread() noexcept;

  static constexpr std::size_t most_common_bytes = 1024;
  // A block from the heap that all threads have in common, on cache lines of its own. Null when
  // there is no memory, or the thread should rather have a heap of its own: the first one at once,
  // others for larger blocks, except such as have ended already.
  void* take_common(std::size_t bytes) noexcept;

  // Guarded by the lock.
  malloc_heap* first() const noexcept { return first_; }
  malloc_heap* first_idle() const noexcept { return first_idle_; }
  futex_lock& lock() noexcept { return lock_; }
  bool have_idle() const noexcept { return idle_.load(std::memory_order_relaxed) != 0; }

  // Works off what was sent to an idle heap, if it still is one, or to the common one.
  void collect_idle(malloc_heap& heap) noexcept;
  void trim_idle() noexcept;
  // Gives back the pages between blocks, also of the common heap. Returns the bytes.
  std::size_t purge_idle() noexcept;

  // In the child of a fork: the threads of all other heaps are gone, maybe in the middle of
  // something. What those heaps hold stays as it is for ever.
  void forget_other_threads() noexcept;

 private:
  static malloc_heap* make_heap() noexcept;
  // Requires that the lock is held and the heap idle.
  void work_off(malloc_heap& heap) noexcept;
  void add(malloc_heap* heap) noexcept;

  futex_lock lock_;
  malloc_heap* first_ = nullptr;
  malloc_heap* first_idle_ = nullptr;
  malloc_heap* common_ = nullptr;
  std::atomic<std::size_t> idle_{0};
};

extern constinit heap_list the_heaps;

}  // namespace mallard::inline v1::detail
