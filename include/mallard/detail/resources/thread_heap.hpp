// Purpose: the pools of one thread in a synchronized resource. A slab belongs to one heap, whose
// thread takes from it and gives back to it without a lock; for others see
// threads/sharing_heap.hpp.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <mutex>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/class_pools.hpp"
#include "mallard/detail/threads/heap_list.hpp"

namespace mallard::inline v1::detail {

class thread_heap;
class thread_heaps;
struct heaps_of_thread;

// The heap and the class of the slab that a block lies in.
struct pool_home {
  thread_heap* owner;
  unsigned in_class;

  thread_heap* heap() const noexcept { return owner; }
  unsigned size_class() const noexcept { return in_class; }
  bool operator==(const pool_home&) const noexcept = default;
};

// The content of a free block on its way back to its heap. The class tells where its slab begins.
class classed_block {
 public:
  using home_type = pool_home;
  static classed_block* at(void* p, std::size_t size_class) noexcept {
    unpoison(p, sizeof(classed_block));
    return ::new (p) classed_block(size_class);
  }
  void set_next(classed_block* to) noexcept { next_ = to; }
  classed_block* next() const noexcept { return next_; }
  void* leave() noexcept {
    poison(this, sizeof(classed_block));
    return this;
  }
  pool_home home() const noexcept;

 private:
  explicit classed_block(std::size_t size_class) noexcept : size_class_(size_class) {}

  classed_block* next_ = nullptr;
  std::size_t size_class_;
};
static_assert(sizeof(classed_block) <= smallest_class_bytes);

// An object of 3 KiB that holds two heaps has room for four destinations.
struct pool_batches : remote_batches<thread_heap, classed_block, 4, 4096> {};

// All lists of such heaps share the registry's lock (heap_registry.hpp).
std::mutex& registry_lock() noexcept;
struct registry_mutex {
  void lock() noexcept { registry_lock().lock(); }
  void unlock() noexcept { registry_lock().unlock(); }
};

// A base, since there is room for it before what a heap shares with other threads.
struct registered_heap {
  heaps_of_thread* thread = nullptr;  // guarded as below; null: of none, or of one that is ending
};

class MALLARD_API thread_heap final : public class_pools,
                                      public registered_heap,
                                      public sharing_heap<thread_heap, classed_block> {
 public:
  thread_heap(thread_heaps& of, std::pmr::memory_resource* upstream,
              std::size_t reserve_limit) noexcept
      : class_pools(upstream, reserve_limit), resource(&of) {}
  thread_heap(const thread_heap&) = delete;
  thread_heap& operator=(const thread_heap&) = delete;
  ~thread_heap();

  static thread_heap* owner_of(void* p, unsigned size_class) noexcept {
    const slab* const home = aligned_start<slab>(p, class_layouts[size_class].slab_bytes);
    return static_cast<thread_heap*>(static_cast<class_pools*>(home->owner.load(order::relaxed)));
  }
  static pool_home home_of(void* p, unsigned size_class) noexcept {
    return {owner_of(p, size_class), size_class};
  }

  // Gives every slab back, with all blocks in use or on their way.
  void start_over(bool upstream_ignores) noexcept {
    release_all(upstream_ignores);
    forget_remote_blocks();
  }

  // Used by sharing_heap and the resource's list of heaps.
  using list_lock = registry_mutex;
  static constexpr std::size_t common_kept_slabs = 0;
  heap_list<thread_heap>& list() const noexcept;
  pool_batches& batches() noexcept { return batches_; }
  no_lock& lock() noexcept { return lock_; }
  void give_run(void* const* first, void* const* last, unsigned size_class) noexcept;
  // So many are put back in some 0.5 ms. Only its thread may do that: if it were less, much memory
  // would wait while the heap takes more.
  static constexpr std::size_t most_at_once = std::size_t{64} * longest_batch_blocks;
  static void put_back_sent(bool) noexcept {}
  static void took(slab&, thread_heap&) noexcept {}
  static void leaving(unsigned) noexcept {}
  bool may_leave_slabs() const noexcept;

  // Guarded by the registry's lock.
  thread_heap* next_of_thread = nullptr;  // in a ring
  thread_heap* prev_of_thread = nullptr;
  thread_heaps* const resource;

 private:
  [[no_unique_address]] no_lock lock_;
  alignas(64) pool_batches batches_{};
};

inline pool_home classed_block::home() const noexcept {
  const auto size_class = static_cast<unsigned>(size_class_);
  return thread_heap::home_of(const_cast<classed_block*>(this), size_class);
}

}  // namespace mallard::inline v1::detail
