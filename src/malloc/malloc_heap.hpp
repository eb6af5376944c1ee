// Purpose: the slabs of one thread, and what its magazines are filled from and emptied to.
//
// Only the thread that has the heap works on it; blocks that other threads free come over a list.
// A heap is never destroyed: when its thread ends, it waits for the next, and in the meantime
// anybody may work on it under the lock of the heap list.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/core/remote_list.hpp"
#include "mallard/detail/core/slab_set.hpp"
#include "malloc/malloc_classes.hpp"
#include "malloc/remote_block.hpp"
#include "malloc/thread_cache.hpp"

namespace mallard::inline v1::detail {

// What the supply hands out for a heap.
inline constexpr std::size_t heap_bytes = 4 * slice_bytes;

struct malloc_heap_usage {
  slab_usage slabs;
  std::size_t at_hand_bytes = 0;  // of free blocks that count as taken there
};

class alignas(heap_alignment) malloc_heap final : public slab_set {
 public:
  malloc_heap() noexcept;

  slice_mark mark() const noexcept { return reinterpret_cast<slice_mark>(this); }
  static malloc_heap* of_mark(slice_mark mark) noexcept {
    return reinterpret_cast<malloc_heap*>(mark & ~(mark_limit - 1));
  }

  // Makes the magazines the calling thread's.
  void attach(thread_cache& to) noexcept;
  // Puts all that the magazines hold into the slabs, and gives back those that are empty then.
  void detach(thread_cache& from) noexcept;

  // A block, and more of them for the magazine, which is empty. Null when there is no memory.
  void* refill(thread_cache& to, unsigned size_class) noexcept;
  // A block, of a heap without magazines. Null when there is no memory.
  void* take_one(unsigned size_class) noexcept;
  // Takes the block; the magazine is full.
  void spill(thread_cache& from, void* p, std::size_t size_class) noexcept;

  // Takes a block that the mark says is another heap's.
  void send(void* p, slice_mark mark) noexcept {
    batch& b = batches_[mark / heap_bytes % batch_count];
    if (b.to != of_mark(mark)) [[unlikely]] {
      return send_first(b, p, mark);
    }
    auto* const block = static_cast<remote_block*>(p);
    block->set_next(b.first);
    b.first = block;
    b.room -= batch_weights[mark % mark_limit];
    if (b.room <= 0) [[unlikely]] {
      post(b);
    }
  }
  // The same by a thread that has no heap.
  static void send_alone(void* p, slice_mark mark) noexcept;
  // Hands over what was sent and waits for company.
  void post_all() noexcept;

  // Puts what other threads have freed into the slabs.
  void collect() noexcept {
    if (!incoming_.empty()) collect_all();
  }
  // Whether there is any, in one order with what other threads send and with `idle`.
  bool has_incoming() const noexcept { return !incoming_.empty_in_order(); }

  // Whether blocks of the class come in large numbers.
  bool is_busy(unsigned size_class) const noexcept {
    return size_class <= last_small_class && grown_[size_class] == magazine_capacity(size_class);
  }

  // Called when slabs come and go.
  void reserve_more(std::size_t bytes) noexcept { reserved_bytes_ += bytes; }
  void reserve_less(std::size_t bytes) noexcept { reserved_bytes_ -= bytes; }

  // Gives back what is empty. The magazines keep what they have.
  void trim() noexcept;
  malloc_heap_usage usage() noexcept;

  // In the child of a fork, of a heap whose thread is not there.
  void forget_thread() noexcept { magazines_ = nullptr; }

  // Guarded by the lock of the heap list.
  malloc_heap* next = nullptr;       // of all heaps
  malloc_heap* next_idle = nullptr;  // of those without a thread
  std::atomic<bool> idle{false};

 private:
  struct batch {
    malloc_heap* to;  // null: the batch is empty
    remote_block* first;
    remote_block* last;
    std::int32_t room;  // bytes
  };
  static constexpr std::size_t batch_count = 4;

  bool find_slots(unsigned size_class) noexcept;
  bool adopt_from_idle(unsigned size_class) noexcept;
  void mark_current(unsigned size_class) noexcept;
  void check_current(unsigned size_class) const noexcept;
  void note_spilled(std::size_t bytes) noexcept {
    spilled_bytes_ += bytes;
    if (spilled_bytes_ > look_at_spilled_bytes_) [[unlikely]] {
      look_after_spills();
    }
  }
  void note_grown() noexcept;
  MALLARD_COLD void look_after_spills() noexcept;
  MALLARD_COLD void look_for_free_pages() noexcept;
  void give_blocks(void* const* first, void* const* last, unsigned size_class) noexcept;
  void** bottom_of(unsigned size_class) noexcept;
  void grow_magazine(thread_cache& of, unsigned size_class) noexcept;
  MALLARD_COLD void collect_all() noexcept;
  void forward(remote_block* block, slice_mark mark) noexcept;
  MALLARD_COLD void send_first(batch& b, void* p, slice_mark mark) noexcept;
  MALLARD_COLD void post(batch& b) noexcept;
  void rest(unsigned size_class) noexcept;

  std::array<slab_pool, malloc_class_count> pools_{};
  std::array<batch, batch_count> batches_{};
  // Capacities so far: none, small, then more and more. Small magazines are all on the heap's first
  // page, for threads that allocate little.
  std::array<std::uint8_t, malloc_class_count> grown_{};
  thread_cache* magazines_ = nullptr;

  // So many bytes are given to slabs, or slabs get larger by so much, before the heap looks how
  // much it holds for nothing; the former only now and then.
  static constexpr std::size_t bytes_between_looks = std::size_t{16} << 20;
  static constexpr unsigned long long milliseconds_between_looks = 200;
  std::size_t spilled_bytes_ = 0;
  std::size_t look_at_spilled_bytes_ = bytes_between_looks;
  std::size_t grown_to_bytes_ = 0;
  unsigned long long looked_at_ = 0;
  std::size_t reserved_bytes_ = 0;
  std::size_t unused_bytes_ = 0;     // the least since free pages were given back
  std::size_t purged_at_bytes_ = 0;  // what it was then
  unsigned long long purged_at_ = 0;
  alignas(64) remote_list<remote_block> incoming_;
  static constexpr unsigned last_small_class = computed_class(2048);
  static constexpr std::size_t small_capacity = 4;
  alignas(64) std::array<void*, malloc_class_count*(small_capacity + 1)> small_slots_;
  std::array<void*, magazine_slots> slots_;
};
static_assert(sizeof(malloc_heap) + os::page_bytes <= heap_bytes);

}  // namespace mallard::inline v1::detail
