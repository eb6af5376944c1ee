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

class arena {
 public:
  arena(std::uint32_t number, std::uint32_t route, strategy kind) noexcept;
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  ~arena() = delete;  // blocks may outlive everything else

  std::uint32_t number() const noexcept { return number_; }
  std::uint32_t route() const noexcept { return route_; }

  // A block of that shape, known to the range; null when there is no memory.
  // `echo`: the block that it has just been; then all is done again but what the resource did.
  void* allocate(block_shape shape, void* echo = nullptr) noexcept;
  // Takes back a block of this arena. `thread` is the caller's name for itself. `echoes`: the same,
  // before it is taken back.
  void deallocate(void* block, block_shape shape, const void* thread, bool echoes = false) noexcept;
  // Makes the block larger where it is, if it can.
  bool try_expand(void* block, block_shape from, block_shape to, const void* thread) noexcept;

  // For routes by scope. Only the arena's thread, or who holds it alone, may ask and reset.
  std::uint64_t live() const noexcept {
    return born_ - gone_here_ - gone_elsewhere_.load(std::memory_order_acquire);
  }
  bool is_used() const noexcept { return born_ != 0; }
  // Nothing lives: everything is as at the start, and its memory kept.
  void reset() noexcept;
  bool is_of(const void* thread) const noexcept {
    return thread_.load(std::memory_order_relaxed) == thread;
  }
  void set_thread(const void* thread) noexcept { thread_.store(thread, std::memory_order_relaxed); }

  invocation of;
  arena* next = nullptr;  // in a list of arenas that wait for their last block

 private:
  void* allocate_from_resource(block_shape shape) noexcept;
  [[gnu::noinline]] void give_to_its_thread(void* block, std::size_t bytes) noexcept;
  [[gnu::noinline]] void take_back() noexcept;

  std::uint32_t number_;
  std::uint32_t route_;
  strategy kind_;
  std::atomic<const void*> thread_{nullptr};
  std::uint64_t born_ = 0;
  std::uint64_t gone_here_ = 0;
  std::atomic<std::uint64_t> gone_elsewhere_{0};
  std::atomic<void*> returned_{nullptr};  // linked by their first words
  range_source source_;
  struct pool_on_bump {
    monotonic_resource bump;
    multipool_resource pool;
    explicit pool_on_bump(std::pmr::memory_resource* upstream) noexcept
        : bump(upstream), pool(&bump) {}
  };
  union {
    monotonic_resource bump_;
    pool_on_bump pool_on_bump_;
    multipool_resource pool_;
    synchronized_multipool_resource synchronized_pool_;
    heap_resource heap_;
    synchronized_heap_resource synchronized_heap_;
    adaptive_pool_resource adaptive_;
  };
};

}  // namespace mallard::route
