// Purpose: the pools of one thread in a synchronized resource, and how blocks find back to them.
//
// A slab belongs to one heap. Its thread takes from it and gives back to it as if it were alone;
// any other thread links the block into a batch and hands the batch over in one step.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory_resource>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/class_pools.hpp"

namespace mallard::inline v1::detail {

class synchronized_heaps;
struct heaps_of_thread;

// What a free block holds on its way back to its heap.
struct remote_block {
  remote_block* next;
  std::size_t size_class;
};
static_assert(sizeof(remote_block) <= smallest_class_bytes);

// Lock-free: any thread pushes, one thread at a time takes all.
class remote_list {
 public:
  bool empty() const noexcept { return head_.load(std::memory_order_relaxed) == nullptr; }

  void push(remote_block* first, remote_block* last) noexcept {
    last->next = head_.load(std::memory_order_relaxed);
    while (!head_.compare_exchange_weak(last->next, first, std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
  }

  remote_block* take_all() noexcept { return head_.exchange(nullptr, std::memory_order_acquire); }

 private:
  std::atomic<remote_block*> head_{nullptr};
};

class MALLARD_API thread_heap final : public class_pools {
 public:
  thread_heap(std::pmr::memory_resource* upstream, std::size_t reserve_limit) noexcept
      : class_pools(upstream, reserve_limit) {}

  static thread_heap* owner_of(void* p, unsigned size_class) noexcept {
    const slab* const home = aligned_start<slab>(p, class_layouts[size_class].slab_bytes);
    return static_cast<thread_heap*>(
        static_cast<class_pools*>(home->owner.load(std::memory_order_relaxed)));
  }

  // Sends a poisoned block to the heap that owns it, together with others.
  void send(void* p, unsigned size_class) noexcept;

  // Hands over what has been sent and is still waiting for company.
  void flush() noexcept;

  // Puts the blocks that other threads have sent into their slabs.
  void collect() noexcept {
    if (!incoming_.empty()) collect_all();
  }
  // The same, and sends on at once what belongs to others by now.
  void collect_now() noexcept {
    collect();
    flush();
  }
  bool has_incoming() const noexcept { return !incoming_.empty(); }

  // Gives every slab back, with all blocks in use or under way.
  void start_over(bool upstream_ignores) noexcept {
    release_all(upstream_ignores);
    outgoing_ = {};
    incoming_.take_all();
  }

  // The same for one block, by a thread that has no heap.
  static void send_alone(void* p, unsigned size_class) noexcept;

  // Guarded by the registry's lock.
  heaps_of_thread* thread = nullptr;  // null: of a thread that has ended, for the next that comes
  thread_heap* next_of_thread = nullptr;
  thread_heap* next = nullptr;  // of all heaps of the resource
  synchronized_heaps* resource = nullptr;

 private:
  static constexpr unsigned longest_batch = 32;

  MALLARD_COLD void collect_all() noexcept;
  static remote_block* link(void* p, unsigned size_class, remote_block* next) noexcept;

  // Blocks on their way to one other heap.
  struct {
    thread_heap* to = nullptr;
    remote_block* first = nullptr;
    remote_block* last = nullptr;
    unsigned count = 0;
  } outgoing_;

  // Written by other threads: on a cache line of its own.
  alignas(64) remote_list incoming_;
};

}  // namespace mallard::inline v1::detail
