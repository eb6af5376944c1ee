// Purpose: the pools of one thread in a synchronized resource, and how blocks find back to them.
//
// A slab belongs to one heap. Its thread takes from it and gives back to it as if it were alone;
// any other thread links the block into a batch and hands the batch over in one step.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/class_pools.hpp"
#include "mallard/detail/core/remote_list.hpp"

namespace mallard::inline v1::detail {

class thread_heaps;
struct heaps_of_thread;

// What a free block holds on its way back to its heap.
struct classed_block {
  classed_block* next;
  std::size_t size_class;

  void set_next(classed_block* to) noexcept { next = to; }
};
static_assert(sizeof(classed_block) <= smallest_class_bytes);

class MALLARD_API thread_heap final : public class_pools {
 public:
  thread_heap(std::pmr::memory_resource* upstream, std::size_t reserve_limit) noexcept
      : class_pools(upstream, reserve_limit) {}
  thread_heap(const thread_heap&) = delete;
  thread_heap& operator=(const thread_heap&) = delete;
  ~thread_heap();

  static thread_heap* owner_of(void* p, unsigned size_class) noexcept {
    const slab* const home = aligned_start<slab>(p, class_layouts[size_class].slab_bytes);
    return static_cast<thread_heap*>(static_cast<class_pools*>(home->owner.load(order::relaxed)));
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
  thread_heaps* resource = nullptr;

 private:
  static constexpr unsigned longest_batch = 32;

  MALLARD_COLD void collect_all() noexcept;
  static classed_block* link(void* p, unsigned size_class, classed_block* next) noexcept;

  // Blocks on their way to one other heap.
  struct {
    thread_heap* to = nullptr;
    classed_block* first = nullptr;
    classed_block* last = nullptr;
    unsigned count = 0;
  } outgoing_;

  // Written by other threads: on a cache line of its own.
  alignas(64) remote_list<classed_block> incoming_;
};

}  // namespace mallard::inline v1::detail
