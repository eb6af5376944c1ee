// Purpose: all heaps: how a thread gets one and leaves it, and the one that all threads have in
// common, with what ended threads have left.
#pragma once

#include <atomic>
#include <cstddef>

#include "malloc/lock.hpp"
#include "malloc/malloc_heap.hpp"

namespace mallard::inline v1::detail {

class heap_list {
 public:
  // The calling thread's heap: one that waits for a thread or a new one. Null when there is no
  // memory.
  malloc_heap* begin_thread() noexcept;
  void end_thread() noexcept;

  static constexpr std::size_t most_common_bytes = 1024;
  // A block from the heap that all threads have in common, on cache lines of its own. Null when
  // there is no memory, or the thread should rather have a heap of its own: the first one at once,
  // others for larger blocks, except such as have ended already.
  void* take_common(std::size_t bytes) noexcept;

  // From there on the list does not change.
  malloc_heap* first() const noexcept { return first_.load(std::memory_order_acquire); }
  futex_lock& lock() noexcept { return lock_; }

  // A slab of the class with free blocks, which threads have left that have ended. O(1) without a
  // lock when there is none. The caller holds its heap's lock.
  bool adopt(malloc_heap& by, unsigned size_class) noexcept {
    const bool is_there = (ready_.load(std::memory_order_relaxed) >> size_class & 1) != 0;
    return is_there && adopt_there(by, size_class);
  }

  // Works off what was sent to a heap without a thread, if it still is one.
  void collect_idle(malloc_heap& heap) noexcept;
  // The same of one that is, by who holds the lock.
  void work_off(malloc_heap& heap) noexcept;

  // Gives back what is empty, and the pages between blocks in use, of all heaps. Returns the bytes
  // of the pages. The caller holds no lock.
  std::size_t trim() noexcept;
  // The same, once a second, of heaps whose threads have not needed them since.
  void trim_quiet() noexcept;

  // Takes the locks of all heaps with threads before a fork; when `take` is false for one, none.
  // After it, in the parent and in the child.
  bool lock_heaps(bool (*take)(futex_lock&) noexcept) noexcept;
  void unlock_heaps() noexcept;
  void reset_heaps() noexcept;
  // In the child of a fork: the threads of all other heaps are gone, maybe in the middle of
  // something. What those heaps hold stays as it is for ever.
  void forget_other_threads() noexcept;

 private:
  static malloc_heap* make_heap() noexcept;
  // Require that the lock is held.
  bool make_common() noexcept;
  void add(malloc_heap* heap) noexcept;
  MALLARD_COLD bool adopt_there(malloc_heap& by, unsigned size_class) noexcept;

  futex_lock lock_;
  std::atomic<malloc_heap*> first_{nullptr};
  malloc_heap* locked_first_ = nullptr;  // between the handlers of a fork
  malloc_heap* first_idle_ = nullptr;
  malloc_heap* common_ = nullptr;
  // Of which classes the common heap may have slabs to hand over.
  std::atomic<class_set> ready_{0};
  std::atomic<unsigned long long> next_look_{0};  // in milliseconds
};

extern constinit heap_list the_heaps;

}  // namespace mallard::inline v1::detail
