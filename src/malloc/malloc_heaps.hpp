// Purpose: the heaps of malloc: how a thread gets one and leaves it, what threads do without one,
// what all heaps give back, and their locks at a fork.
#pragma once

#include <atomic>
#include <cstddef>

#include "mallard/detail/threads/heap_list.hpp"
#include "malloc/lock.hpp"
#include "malloc/malloc_heap.hpp"
#include "malloc/malloc_pages.hpp"

namespace mallard::inline v1::detail {

class malloc_heaps final : public heap_list<malloc_heap> {
 public:
  // All slabs come from `pages`.
  explicit constexpr malloc_heaps(malloc_pages& pages) noexcept : pages_(pages) {}

  // A heap for the calling thread, with `to` as its magazines. Null when there is no memory.
  malloc_heap* begin_thread(thread_cache& to) noexcept;
  void end_thread(thread_cache& from) noexcept;

  static constexpr std::size_t most_common_bytes = 1024;
  // A block from the heap that all threads share, on cache lines of its own. Null when there is no
  // memory, or the thread should rather have a heap of its own: the first one at once, others for
  // larger blocks, except those that have `ended` already.
  void* take_common(std::size_t bytes, bool ended) noexcept;

  // As in heap_list; keeps errno.
  void collect_idle(malloc_heap& heap) noexcept;

  // Gives back what is empty, and the `pages` between blocks in use, of all heaps. Returns the
  // bytes of the pages. The caller holds no lock.
  std::size_t trim(bool pages) noexcept;
  // The same for heaps whose threads have not needed them for a second: a portion of one of them in
  // each call, so that nobody waits for all.
  void trim_quiet() noexcept;
  // The same for all heaps, once a second, by a thread that does nothing else. Returns whether
  // nothing is left to be given back later.
  bool give_back_idle() noexcept;

  // Takes the locks of all heaps with threads before a fork; none if `take` is false for one. The
  // others are for the parent and the child after it.
  bool lock_heaps(bool (*take)(futex_lock&) noexcept) noexcept;
  void unlock_heaps() noexcept;
  void reset_heaps() noexcept;
  // For the child of a fork that took all locks: the threads of all heaps but one do not exist
  // there. Their heaps are orphans.
  void forget_threads_but(const malloc_heap* mine) noexcept;
  // Leaves what an orphan holds to the common heap, only when more memory is needed, so that a
  // child that needs none does not pay for it. False when there is none. The caller holds no lock,
  // or that of a heap with a thread.
  bool has_orphans() const noexcept { return orphans_.load(std::memory_order_relaxed) != nullptr; }
  MALLARD_COLD bool take_over_orphan() noexcept;

  malloc_pages& pages() const noexcept { return pages_; }
  slice_supply& supply() const noexcept { return pages_.supply; }
  memory_budget& budget() const noexcept { return pages_.budget; }

 private:
  // Null when there is no memory, and, but for the common heap, when all numbers are taken.
  malloc_heap* make_heap(bool is_common) noexcept;
  // Requires the lock.
  bool make_common() noexcept;

  malloc_pages& pages_;
  std::atomic<malloc_heap*> orphans_{nullptr};  // changes under the lock; linked as idle ones
  malloc_heap* locked_first_ = nullptr;         // between the handlers of a fork
  // In milliseconds.
  std::atomic<unsigned long long> next_look_{0};
  std::atomic<unsigned long long> next_round_{0};  // of all heaps
  std::atomic<malloc_heap*> looked_at_{nullptr};   // next to inspect; null: none now
};

extern constinit malloc_heaps the_heaps;

}  // namespace mallard::inline v1::detail
