// Purpose: the slabs of one thread, and what its magazines are filled from and emptied to.
//
// The heap's thread works on its slabs under the heap's lock, which others take only to give back
// what the heap holds for nothing. The magazines and the batches are for the thread only: `refill`
// fills an empty magazine from the bits of a slab, `spill` empties half of a full one. A heap is
// never destroyed: when its thread ends, its slabs go to the common heap, and it waits for the next
// thread (threads/heap_list.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/core/slab_set.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/pages/idle_decay.hpp"
#include "mallard/detail/threads/sharing_heap.hpp"
#include "malloc/lock.hpp"
#include "malloc/malloc_classes.hpp"
#include "malloc/remote_block.hpp"
#include "malloc/sampling.hpp"
#include "malloc/thread_cache.hpp"

namespace mallard::inline v1::detail {

class malloc_heaps;

class malloc_heap final : public slab_set, public sharing_heap<malloc_heap, remote_block> {
 public:
  malloc_heap(malloc_heaps& list, std::size_t number) noexcept;

  // Gives the heap's magazines to the calling thread.
  void attach(thread_cache& to) noexcept;
  // The magazines are in `to` from now on.
  void move_magazines(thread_cache& to) noexcept;
  // Puts all blocks of the magazines into the slabs, and gives back slabs that are empty then.
  void detach(thread_cache& from) noexcept;

  // A block, and more of them for the magazine, which is empty, or for the portion, `ahead` of the
  // requests. Null when there is no memory.
  void* refill(thread_cache& to, unsigned size_class, bool ahead = false) noexcept;
  // Whether a block that has just left its slab is zero, because nobody has had it before.
  bool is_first_use(const void* p, unsigned size_class) noexcept;
  // Called when a slab comes.
  void note_slab_is_zero(bool is_zero) noexcept { is_slab_zero_ = is_zero; }
  // Takes a block for which the full magazine has no room.
  void spill(thread_cache& from, void* p, std::size_t size_class) noexcept;

  // Requires a class with portions, for all three. The magazine has few blocks when the next
  // portion would hardly be worth its call; the portion is filled from the magazine.
  sample_counter& sampled(unsigned size_class) noexcept { return sampled_[size_class]; }
  bool has_few(const thread_cache& of, unsigned size_class) noexcept {
    return size_class < first_budgeted_class && *of.portion_top_of(size_class) == nullptr &&
           held_in_magazine(of, size_class) < portion_capacity(size_class) / 2;
  }
  void fill_portion(thread_cache& of, unsigned size_class) noexcept;

  // Whether blocks of the class come in large numbers.
  bool is_busy(unsigned size_class) const noexcept {
    return size_class <= last_small_class && grown_[size_class] == magazine_capacities[size_class];
  }

  // Whether a slab of the class may be of huge pages. The program must have more than a huge page
  // of blocks, and half of what the slabs have: those of a thread that asks for little of each size
  // are hardly touched. Nor are large blocks that are buffers.
  bool fills_slabs_of(unsigned size_class) const noexcept;

  // Called when slabs come and go. Those of a heap without a thread are not counted.
  void reserve_more(std::size_t bytes) noexcept {
    if (!idle.load(order::relaxed)) reserved_bytes_ += bytes;
  }
  void reserve_less(std::size_t bytes) noexcept {
    if (!idle.load(order::relaxed)) reserved_bytes_ -= bytes;
  }

  // Gives back what is empty, and the `pages` between blocks in use, of a heap with a thread. For
  // any thread that holds no lock. The magazines keep what they have. Returns the bytes of the
  // pages.
  std::size_t trim(bool pages) noexcept;
  // Gives back a portion of the same, if the thread has not needed the heap since the last call
  // that returned anything else than `may_have_more`: a portion went back. Waits for no lock.
  enum class quiet { is_needed, may_have_more, is_trimmed };
  quiet trim_if_quiet() noexcept;
  // Bytes of blocks that have left the slabs, and of those in magazines. Exact while no thread uses
  // the heap, else of some recent moment.
  __attribute__((no_sanitize("thread"))) std::size_t taken_of_slabs() const noexcept {
    const std::size_t spilled = __atomic_load_n(&spilled_bytes_, __ATOMIC_RELAXED);
    const std::size_t filled = __atomic_load_n(&filled_bytes_, __ATOMIC_RELAXED);
    return filled - spilled <= PTRDIFF_MAX ? filled - spilled : 0;
  }
  // In magazines. Blocks that others have freed are put back before.
  std::size_t at_hand_bytes() noexcept;

  // A block of the common heap; null when there is no memory.
  void* take_one(unsigned size_class) noexcept;
  // Gives back what `trim` does, of a heap that the caller may work on. Returns the bytes.
  std::size_t give_back_free(bool pages) noexcept;

  // Whether it is known that no slab of the heap has a free slot of the class. Finding that out
  // visits all slabs; it holds until blocks of the class or slabs come.
  bool knows_no_slot(unsigned size_class) const noexcept {
    return (without_slots_ >> size_class & 1) != 0;
  }
  // The next blocks that come back are tested for it, so that others need no test.
  void note_no_slot(unsigned size_class) noexcept {
    without_slots_ |= class_bit(size_class);
    look_at_spilled_bytes_ = spilled_bytes_;
  }

  // Used by sharing_heap and the list of heaps.
  using list_lock = futex_lock;
  // Empty slabs that a heap keeps, so that it does not take a lock whenever one comes and goes.
  // They keep their marks: nobody can hold a block of them.
  static constexpr std::size_t kept_slabs = 1;
  static constexpr std::size_t common_kept_slabs = kept_slabs;
  malloc_heaps& list() const noexcept { return list_; }
  malloc_batches& batches() noexcept { return batches_; }
  futex_lock& lock() noexcept { return lock_; }
  void give_run(void* const* first, void* const* last, unsigned size_class) noexcept;
  auto& pools() noexcept { return pools_; }
  // So many are put back in some 0.1 ms, with checks in 0.5.
  static constexpr std::size_t most_at_once = std::size_t{8} * longest_batch_blocks;
  void put_back_sent(bool is_too_much) noexcept;
  void took(slab& s, malloc_heap& from) noexcept;
  void leaving(unsigned size_class) const noexcept { check_current(size_class); }
  void absorb_all(malloc_heap& from) noexcept;
  static constexpr bool may_leave_slabs() noexcept { return true; }

  // For the child of a fork, and heaps whose thread is not there: that is forgotten at once, and
  // later what it had at hand, which may be half written.
  void forget_thread() noexcept { magazines_.store(nullptr, std::memory_order_relaxed); }
  void rest_without_thread() noexcept;

 private:
  bool find_slots(unsigned size_class) noexcept;
  void mark_slab(slab& s) noexcept;
  void check_current(unsigned size_class) const noexcept;
  void note_spilled(std::size_t bytes, unsigned size_class) noexcept {
    spilled_bytes_ += bytes;
    if (spilled_bytes_ > look_at_spilled_bytes_) [[unlikely]] {
      look_after_spills(size_class);
    }
  }
  void note_grown() noexcept;
  MALLARD_COLD void look_after_spills(unsigned size_class) noexcept;
  MALLARD_COLD void look_for_free_pages() noexcept;
  void look_if_due() noexcept;
  // Bytes in use and in magazines.
  std::size_t taken_bytes() const noexcept { return filled_bytes_ - spilled_bytes_; }
  // Bytes of free slots whose pages are there.
  std::size_t warm_bytes() const noexcept {
    return std::min(unused_bytes(), warm_to_bytes_ - std::min(warm_to_bytes_, taken_bytes()));
  }
  // About the bytes of slots that may have been touched and are not taken.
  std::size_t unused_bytes() const noexcept {
    return reserved_bytes_ - std::min(reserved_bytes_, taken_bytes());
  }
  MALLARD_COLD void forget_zero_slots(void* const* first, void* const* last,
                                      unsigned size_class) noexcept;
  template <bool Ahead>
  void* refill_locked(thread_cache& to, unsigned size_class) noexcept;
  void spill_locked(thread_cache& from, void* p, unsigned size_class) noexcept;
  static bool are_neighbours(void* const* first, void* const* last, std::uintptr_t span) noexcept;
  void* const* give_runs(void* const* first, void* const* last, unsigned size_class) noexcept;
  void* const* send_run(void* const* first, void* const* last, const slab_layout& layout) noexcept;
  void give_back_empty() noexcept;
  void rest_and_give_back_empty() noexcept;
  void purge_down_to(std::size_t bytes) noexcept;
  void purge_portion() noexcept;
  void note_touched() noexcept;
  void set_kept(std::size_t bytes) noexcept;
  void** bottom_of(unsigned size_class) noexcept;
  void** portion_bottom(unsigned size_class) noexcept {
    return portions_.data() + portion_begin[size_class];
  }
  // For any thread: the magazines' own thread changes them unsynchronised: the result is some
  // recent value.
  __attribute__((no_sanitize("thread"))) std::size_t held_in_magazine(
      const thread_cache& of, unsigned size_class) noexcept {
    if (grown_[size_class] == 0) return 0;
    void** const top = __atomic_load_n(&of.top_of(size_class), __ATOMIC_RELAXED);
    return static_cast<std::size_t>(top - bottom_of(size_class));
  }
  __attribute__((no_sanitize("thread"))) std::size_t held_in_portion(const thread_cache& of,
                                                                     unsigned size_class) noexcept {
    if (size_class >= classes_with_portions) return 0;
    void** const top = __atomic_load_n(&of.portion_top_of(size_class), __ATOMIC_RELAXED);
    const std::size_t bytes = address_of(top) - address_of(portion_bottom(size_class));
    // Else it has no portion yet.
    return bytes <= portion_capacity(size_class) * sizeof(void*) ? bytes / sizeof(void*) : 0;
  }
  void empty_portion(thread_cache& of, unsigned size_class) noexcept;
  void grow_magazine(thread_cache& of, unsigned size_class) noexcept;
  bool make_room_for(thread_cache& of, std::size_t bytes, unsigned size_class) noexcept;
  void empty_magazine(thread_cache& of, unsigned size_class) noexcept;

  malloc_heaps& list_;
  const std::size_t number_;
  std::array<slab_pool, malloc_class_count> pools_{};
  // Capacities so far: none, small, then more and more. Small magazines are all on the heap's first
  // page, for threads that allocate little.
  std::array<std::uint8_t, malloc_class_count> grown_{};
  std::atomic<thread_cache*> magazines_{nullptr};  // its thread's; valid while the lock is held
  std::size_t budgeted_bytes_ = 0;                 // that magazines of larger blocks have room for
  unsigned next_to_empty_ = first_evicted_class;

  static constexpr std::size_t largest_filled_bytes = std::size_t{64} << 10;

  // After so many bytes went back to slabs, or slabs grew by that and an eighth, and once a second,
  // the heap checks how much it holds for nothing.
  static constexpr std::size_t bytes_between_looks = std::size_t{16} << 20;
  std::size_t spilled_bytes_ = 0;  // ever
  std::size_t spilled_at_look_bytes_ = 0;
  std::size_t look_at_spilled_bytes_ = bytes_between_looks;  // or for the next portion
  std::size_t grown_to_bytes_ = 0;
  unsigned long long looked_at_ = 0;
  std::size_t reserved_bytes_ = 0;
  std::size_t filled_bytes_ = 0;  // of blocks that have left the slabs, ever
  // The two at the time when all free pages had gone back. While they stay, there are no others.
  static constexpr std::size_t never = SIZE_MAX;
  std::size_t purged_at_filled_bytes_ = never;
  std::size_t purged_at_spilled_bytes_ = never;
  // Nobody who frees a block waits for a whole heap: one call inspects so many bytes of slabs, and
  // the next spill the next ones, so that all are soon done.
  static constexpr std::size_t purged_portion_bytes = std::size_t{1} << 20;
  std::size_t to_purge_bytes_ = 0;  // of slabs
  std::size_t purge_to_bytes_ = 0;  // that are kept
  std::size_t spilled_at_purge_bytes_ = 0;
  std::size_t warm_to_bytes_ = 0;  // so much may be taken before pages come from the system
  std::size_t kept_bytes_ = 0;     // of pages that no block touches
  idle_decay idle_pages_;          // of bytes

  // The calls in which the thread needed the heap, and their number at the last check.
  static constexpr std::uint32_t calls_between_looks_around = 32;
  std::uint32_t calls_ = 0;
  std::uint32_t calls_seen_ = 0;
  bool is_trimmed_ = false;

  bool is_slab_zero_ = false;

  class_set without_slots_ = 0;
  static_assert(malloc_class_count < 64);
  static constexpr class_set class_bit(unsigned size_class) noexcept {
    return class_set{1} << size_class;
  }

  futex_lock lock_;
  static constexpr unsigned last_small_class = computed_class(2048);
  alignas(64) std::array<void*, malloc_class_count*(small_capacity + 2)> small_slots_;
  std::array<void*, magazine_slots> slots_;
  malloc_batches batches_{};
  // Untouched while no samples are taken.
  std::array<sample_counter, classes_with_portions> sampled_{};
  std::array<void*, portion_begin.back()> portions_;
};
static_assert(sizeof(malloc_heap) + os::page_bytes <= heap_bytes);

}  // namespace mallard::inline v1::detail
