// Purpose: the heaps of all threads that use one resource: who has which, what ended threads left.
//
// A thread that works on its own heap takes no lock. The registry's lock (heap_registry.hpp) guards
// which thread has which heap, and the list of heaps (threads/heap_list.hpp). Upstream is called
// without it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <mutex>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/resources/oversize_list.hpp"
#include "mallard/detail/resources/thread_heap.hpp"
#include "mallard/detail/resources/upstream_lock.hpp"

namespace mallard::inline v1::detail {

// The heaps that a thread used last; others are in its table. Identities are never used twice, so
// an entry of a dead resource matches none.
struct MALLARD_API known_heap {
  std::uint64_t identity;
  thread_heap* heap;
};
inline constexpr std::size_t known_heap_count = 16;
MALLARD_STATIC_TLS
MALLARD_API extern constinit thread_local std::array<known_heap, known_heap_count> known_heaps;

struct heaps_usage {
  slab_usage slabs;
  std::size_t at_hand_bytes = 0;
  std::size_t oversize_payload_bytes = 0;
  std::size_t oversize_reserved_bytes = 0;
  std::size_t oversize_blocks = 0;
  std::size_t heap_bytes = 0;    // of the heaps themselves
  std::size_t heaps = 0;         // of threads that live
  std::size_t orphan_slabs = 0;  // of threads that have ended, not adopted yet
};

class locked_blocks;

class MALLARD_API thread_heaps {
 public:
  // `upstream_ignores`: upstream is known to take nothing back; then every slab is to be kept.
  thread_heaps(std::pmr::memory_resource* upstream, std::size_t reserve_limit,
               bool upstream_ignores) noexcept;
  thread_heaps(const thread_heaps&) = delete;
  thread_heaps& operator=(const thread_heaps&) = delete;
  ~thread_heaps();

  // The calling thread's heap, null when it has none (yet, or any more).
  MALLARD_ALWAYS_INLINE thread_heap* known() const noexcept {
    const known_heap& entry = known_heaps[identity_ % known_heap_count];
    return entry.identity == identity_ ? entry.heap : nullptr;
  }

  // For a heap with nothing at hand. No lambda: see class_requests.hpp.
  struct refill_slowly {
    thread_heap* mine;
    thread_heaps& heaps;
    void* operator()(unsigned size_class) const { return heaps.allocate_slow(mine, size_class); }
  };

  // By class, as in class_pools, for the calling thread.
  MALLARD_ALWAYS_INLINE void* take_small(unsigned size_class) {
    thread_heap* const mine = known();
    if (mine == nullptr) return allocate_slow(mine, size_class);
    return mine->take_small(size_class, refill_slowly{mine, *this});
  }
  void* take_large(std::size_t request) {
    thread_heap* const mine = known();
    if (mine == nullptr) return allocate_slow(mine, computed_class(request));
    return mine->take_large(request, refill_slowly{mine, *this});
  }
  MALLARD_ALWAYS_INLINE void give_small(void* p, unsigned size_class) noexcept {
    thread_heap* const mine = known();
    if (thread_heap::owner_of(p, size_class) != mine) [[unlikely]] {
      return deallocate_slow(mine, p, size_class);
    }
    mine->give_small(p, size_class);
  }
  MALLARD_BY_LEVEL void give_large(void* p, std::size_t request) noexcept {
    thread_heap* const mine = known();
    const unsigned size_class = computed_class(request);
    if (thread_heap::owner_of(p, size_class) != mine) return deallocate_slow(mine, p, size_class);
    mine->give_large(p, request);
  }

  // For assertions, as in slab_set.
  bool owns(const void* p, unsigned size_class) const noexcept;

  // The slow paths. `mine` may be null. Throw what upstream throws.
  MALLARD_COLD void* allocate_slow(thread_heap* mine, unsigned size_class);
  MALLARD_COLD void deallocate_slow(thread_heap* mine, void* p, unsigned size_class) noexcept;

  // Bursts, as in class_pools. One burst adopts at most one slab.
  chain_ends take_many(unsigned size_class, std::size_t count, std::size_t bytes);
  void give_many(unsigned size_class, void* first, std::size_t count) noexcept;

  // Gives back what may help where upstream has refused: blocks that others have freed, empty
  // slabs, and empty segments of large blocks. Returns whether there were any. `mine`: the heap
  // that the call works on; null: the calling thread's.
  MALLARD_COLD bool make_room(thread_heap* mine) noexcept;
  // The resource's large blocks, if they do not come from upstream one by one.
  void set_large_blocks(locked_blocks& large) noexcept { large_blocks_ = &large; }

  void* allocate_oversize(std::size_t bytes, std::size_t alignment);
  void deallocate_oversize(void* p) noexcept;

  // Requires that no other call is in flight.
  void release() noexcept;
  heaps_usage usage() noexcept;

  std::size_t trim() noexcept;
  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_.to(); }
  // For taking memory from upstream, one thread at a time if that is not thread-safe.
  std::pmr::memory_resource* source() const noexcept { return source_; }

  heap_list<thread_heap>& list() noexcept { return list_; }
  // As over an upstream that takes nothing back.
  bool keeps_every_slab() const noexcept { return reserve_limit_ == keep_every_slab; }

  // For the registry. Leaves to others what a heap holds that no thread has any more.
  void orphan(thread_heap& heap) noexcept;
  // The rest requires its lock. A visit is that of a thread that ends, and is waited for.
  void begin_visit() noexcept;
  void end_visit() noexcept;
  void forget_other_threads(const heaps_of_thread* survivor) noexcept;
  std::uint64_t identity() const noexcept { return identity_; }
  std::mutex& large_blocks_lock() noexcept { return large_blocks_lock_; }
  thread_heaps* next = nullptr;
  thread_heaps* prev = nullptr;

 private:
  template <class Work>
  auto with_heap(thread_heap* mine, Work&& work);
  thread_heap* begin_thread();
  thread_heap* heap_of_this_thread() noexcept;
  thread_heap& any_heap();
  static void prepare(thread_heap& mine, unsigned size_class) noexcept;
  std::size_t trim_with(thread_heap* mine) noexcept;
  void detach_all() noexcept;
  void wait_for_visitors(std::unique_lock<std::mutex>& hold) noexcept;
  void give_back_all() noexcept;

  std::uint64_t identity_;
  std::size_t reserve_limit_;
  bool upstream_ignores_;
  locked_upstream upstream_;
  std::pmr::memory_resource* source_;  // upstream, thread-safe
  atomic<std::uint32_t> visits_{0};
  heap_list<thread_heap> list_;
  thread_heap first_;             // for the first thread that comes
  thread_heap orphans_;           // the common heap, of no thread
  std::mutex large_blocks_lock_;  // taken last; guards the list, or what the resource has instead
  oversize_list oversize_;
  locked_blocks* large_blocks_ = nullptr;
};

}  // namespace mallard::inline v1::detail
