// Purpose: the slabs of one thread, and what its magazines are filled from and emptied to.
//
// The thread that has the heap works on its slabs under the heap's lock, which nobody else takes
// but who gives back what a thread holds for nothing; the magazines and the batches are the
// thread's alone. Blocks that other threads free come over a list. A heap is never destroyed: when
// its thread ends, its slabs become those of the common heap, and it waits for the next thread. A
// heap without a thread is guarded by the lock of the heap list instead of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/core/remote_list.hpp"
#include "mallard/detail/core/slab_set.hpp"
#include "malloc/lock.hpp"
#include "malloc/malloc_classes.hpp"
#include "malloc/remote_batch.hpp"
#include "malloc/thread_cache.hpp"

namespace mallard::inline v1::detail {

struct malloc_heap_usage {
  slab_usage slabs;
  std::size_t at_hand_bytes = 0;  // of free blocks that count as taken there
};

// A bit for each size class.
using class_set = std::uint64_t;
static_assert(malloc_class_count <= 64);

class alignas(heap_alignment) malloc_heap final : public slab_set {
 public:
  malloc_heap() noexcept;

  // Makes the magazines the calling thread's.
  void attach(thread_cache& to) noexcept;
  // Puts all that the magazines hold into the slabs, and gives back those that are empty then.
  void detach(thread_cache& from) noexcept;

  // A block, and more of them for the magazine, which is empty. Null when there is no memory.
  void* refill(thread_cache& to, unsigned size_class) noexcept;
  // Takes the block; the magazine is full.
  void spill(thread_cache& from, void* p, std::size_t size_class) noexcept;

  // Takes a block that the mark says is another heap's.
  void send(void* p, slice_mark mark) noexcept {
    remote_batch& b = batches_.of(mark.heap());
    if (b.to != mark.heap()) [[unlikely]] {
      return send_first(b, p, mark);
    }
    if (!b.add(p, mark.size_class())) [[unlikely]] {
      post(b);
    }
  }
  // Hands a batch over that is not empty.
  MALLARD_COLD void post(remote_batch& b) noexcept;
  // The same of one block, by a thread that has no heap.
  static void send_alone(void* p, slice_mark mark) noexcept;
  // Hands over what was sent and waits for company.
  void post_all() noexcept;

  // Whether blocks of the class come in large numbers.
  bool is_busy(unsigned size_class) const noexcept {
    return size_class <= last_small_class && grown_[size_class] == magazine_capacities[size_class];
  }

  // Called when slabs come and go.
  void reserve_more(std::size_t bytes) noexcept { reserved_bytes_ += bytes; }
  void reserve_less(std::size_t bytes) noexcept { reserved_bytes_ -= bytes; }

  // By any thread that holds no lock, of a heap with a thread: gives back what is empty, and the
  // pages between blocks in use. The magazines keep what they have. Returns the bytes of the pages.
  std::size_t trim() noexcept;
  // The same if the thread has not needed the heap since the last call. Does not wait for a lock.
  void trim_if_quiet() noexcept;
  malloc_heap_usage usage() noexcept;

  // What the lock of the heap list guards: heaps without a thread.
  // A block. Null when there is no memory.
  void* take_one(unsigned size_class) noexcept;
  // Takes over all slabs.
  void absorb(malloc_heap& from) noexcept;
  // The current slab of the class, if there is one, becomes the other heap's.
  bool hand_over(malloc_heap& to, unsigned size_class) noexcept;
  // Puts what other threads have freed into the slabs. Returns of which classes.
  class_set collect() noexcept { return incoming_.empty() ? 0 : collect_all(); }
  // Whether there is any, in one order with what other threads send and with `idle`.
  bool has_incoming() const noexcept { return !incoming_.empty_in_order(); }
  // Of which classes there are slabs with free blocks.
  class_set ready_classes() const noexcept;
  std::size_t trim_without_thread() noexcept;

  // In the child of a fork, of a heap whose thread is not there.
  void forget_thread() noexcept { magazines_ = nullptr; }
  futex_lock& lock() noexcept { return lock_; }

  malloc_heap* next = nullptr;  // of all heaps; set before the heap is one of them
  // Guarded by the lock of the heap list.
  malloc_heap* next_idle = nullptr;  // of those that wait for a thread
  // Becomes true under both locks.
  std::atomic<bool> idle{false};

 private:
  bool find_slots(unsigned size_class) noexcept;
  bool adopt(unsigned size_class) noexcept;
  void mark_current(unsigned size_class) noexcept;
  void mark_slab(slab& s) noexcept;
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
  MALLARD_COLD void look_around() noexcept;
  void* refill_locked(thread_cache& to, unsigned size_class) noexcept;
  void spill_locked(thread_cache& from, void* p, unsigned size_class) noexcept;
  void give_blocks(void* const* first, void* const* last, unsigned size_class) noexcept;
  static bool are_neighbours(void* const* first, void* const* last, std::uintptr_t span) noexcept;
  void* const* give_runs(void* const* first, void* const* last, unsigned size_class) noexcept;
  void give_back_empty() noexcept;
  void** bottom_of(unsigned size_class) noexcept;
  void grow_magazine(thread_cache& of, unsigned size_class) noexcept;
  bool make_room_for(thread_cache& of, std::size_t bytes, unsigned size_class) noexcept;
  void empty_magazine(thread_cache& of, unsigned size_class) noexcept;
  MALLARD_COLD class_set collect_all() noexcept;
  void forward(remote_block* block, slice_mark mark) noexcept;
  MALLARD_COLD void send_first(remote_batch& b, void* p, slice_mark mark) noexcept;

  std::array<slab_pool, malloc_class_count> pools_{};
  // Capacities so far: none, small, then more and more. Small magazines are all on the heap's first
  // page, for threads that allocate little.
  std::array<std::uint8_t, malloc_class_count> grown_{};
  thread_cache* magazines_ = nullptr;
  std::size_t budgeted_bytes_ = 0;  // that magazines of larger blocks have room for
  unsigned next_to_empty_ = first_evicted_class;

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

  // How often the thread needed the heap, and what that was when somebody looked.
  static constexpr std::uint32_t calls_between_looks_around = 64;
  std::uint32_t calls_ = 0;
  std::uint32_t calls_seen_ = 0;
  bool is_trimmed_ = false;

  futex_lock lock_;
  alignas(64) remote_list<remote_block> incoming_;
  static constexpr unsigned last_small_class = computed_class(2048);
  alignas(64) std::array<void*, malloc_class_count*(small_capacity + 2)> small_slots_;
  std::array<void*, magazine_slots> slots_;
  remote_batches batches_{};
};
static_assert(sizeof(malloc_heap) + os::page_bytes <= heap_bytes);

}  // namespace mallard::inline v1::detail
