// Purpose: a resource of ours that serves a route, and what is known of it.
//
// A route by scope has an arena in each thread: one invocation of its scope fills it, and it is
// reset when that has ended and nothing lives. Where something does, the arena is left to those
// blocks, and the thread takes another one. Blocks are counted in by the arena's thread and counted
// out by any; what others give back to a pool waits in a list until its thread comes by.
//
// Any other route has two arenas for all threads: one without locks of its own, which serves while
// the process has one thread and is behind a lock from then on, and the synchronized one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <mutex>

#include "mallard/adaptive_pool.hpp"
#include "mallard/heap.hpp"
#include "mallard/monotonic.hpp"
#include "mallard/multipool.hpp"
#include "mallard/synchronized_heap.hpp"
#include "mallard/synchronized_multipool.hpp"
#include "route/preload/block_codes.hpp"
#include "route/preload/routed_range.hpp"
#include "route/session.hpp"

namespace mallard::route {

// The upstream of an arena's resource: the routed range.
class range_source final : public std::pmr::memory_resource {
 public:
  range_source(std::uint32_t owner, std::uint32_t route) noexcept : owner_(owner), route_(route) {}

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  std::uint32_t owner_;
  std::uint32_t route_;
};

// An invocation of a function is known by its frame, its caller, and where it was first seen.
struct invocation {
  std::uint64_t frame_address = 0;  // 0: not by a function
  std::uint64_t caller_ip = 0;
  std::uint64_t first_ip = 0;

  bool is_same_frame(const invocation& other) const {
    return frame_address == other.frame_address && caller_ip == other.caller_ip;
  }
};

// How an arena calls its resource: by the resource's type, as containers do that have it in theirs,
// behind one indirect call.
class block_server {
 public:
  // Null: it has no memory.
  virtual void* allocate(block_shape shape, const block_request& asked) noexcept = 0;
  virtual void deallocate(void* block, block_shape shape) noexcept = 0;
  virtual bool try_expand(void*, block_shape, block_shape) noexcept { return false; }
  // Nothing lives: all memory is kept, and used from its start again.
  virtual void reset() noexcept {}

 protected:
  ~block_server() = default;  // blocks may outlive everything else
};

class arena {
 public:
  arena(std::uint32_t number, std::uint32_t route, strategy kind, server by) noexcept;
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena() = delete;

  std::uint32_t number() const noexcept { return number_; }
  std::uint32_t route() const noexcept { return route_; }
  server served_by() const noexcept { return by_; }

  // A block of that shape, of which the codes know; null when there is no memory.
  void* allocate(block_shape shape, const block_request& asked) noexcept;
  // Takes back a block of this arena. `thread` is the caller's name for itself; null: it has none.
  void deallocate(void* block, block_shape shape, bool by_delete, const void* thread) noexcept;
  // A block is gone, which was the arena's or is counted as its own.
  void count_out(const void* thread) noexcept {
    if (!is_scoped_) return;
    if (is_of(thread)) {
      ++gone_here_;
    } else {
      gone_elsewhere_.fetch_add(1, std::memory_order_release);
    }
  }
  // Makes the block larger where it is, if it can.
  bool try_expand(void* block, block_shape from, block_shape to, const void* thread) noexcept;

  // For routes by scope. Only the arena's thread, or who holds it alone, may ask and reset.
  std::uint64_t live() const noexcept {
    return born_ - gone_here_ - gone_elsewhere_.load(std::memory_order_acquire);
  }
  // Since it was reset.
  std::uint64_t blocks() const noexcept { return born_; }
  std::uint64_t freed_elsewhere() const noexcept {
    return gone_elsewhere_.load(std::memory_order_relaxed);
  }
  // Nothing lives: everything is as at the start, and its memory kept.
  void reset() noexcept;
  bool is_of(const void* thread) const noexcept {
    return thread != nullptr && thread_.load(std::memory_order_relaxed) == thread;
  }
  void set_thread(const void* thread) noexcept { thread_.store(thread, std::memory_order_relaxed); }

  invocation of;
  arena* next = nullptr;  // in a list of arenas that wait for their last block

 private:
  // By the malloc behind the hook: the program's own, or one that is preloaded after it. Operator
  // new and delete take a little, too, before they call it: so do these.
  [[gnu::noinline]] static void* allocate_by_malloc(block_shape shape,
                                                    const block_request& asked) noexcept;
  [[gnu::noinline]] static void free_by_malloc(void* block, bool by_delete) noexcept;
  [[gnu::noinline]] void give_to_its_thread(void* block, std::size_t bytes) noexcept;
  [[gnu::noinline]] void take_back() noexcept;

  // Beside a resource, its server has a word or two; a pool on a monotonic resource is two.
  static constexpr std::size_t most_server_bytes =
      std::max({sizeof(monotonic_resource) + sizeof(multipool_resource),
                sizeof(synchronized_multipool_resource), sizeof(heap_resource),
                sizeof(synchronized_heap_resource), sizeof(adaptive_pool_resource)}) +
      128;

  std::uint32_t number_;
  std::uint32_t route_;
  server by_;
  bool is_scoped_;
  bool takes_back_;  // what other threads free waits for its own
  std::atomic<const void*> thread_{nullptr};
  std::uint64_t born_ = 0;
  std::uint64_t gone_here_ = 0;
  std::atomic<std::uint64_t> gone_elsewhere_{0};
  std::atomic<void*> returned_{nullptr};  // linked by their first words
  block_server* server_;
  range_source source_;
  alignas(64) std::byte server_bytes_[most_server_bytes];
};

// Arenas in the order in which they came.
class arena_queue {
 public:
  void add(arena& one) noexcept {
    one.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &one;
    last_ = &one;
  }
  void add_first(arena& one) noexcept {
    one.next = first_;
    if (first_ == nullptr) last_ = &one;
    first_ = &one;
  }
  // Null: there is none.
  arena* take_first() noexcept {
    arena* const one = first_;
    if (one != nullptr) first_ = one->next;
    return one;
  }

 private:
  arena* first_ = nullptr;
  arena* last_ = nullptr;
};

}  // namespace mallard::route
