// Purpose: hands out aligned runs of slices for slabs, chunks, heaps and segments, and gives idle
// memory back to the system.
//
// Memory comes in regions of 64 MiB, whose headers have two bits per slice: `free`, and `dirty` for
// free slices still backed by memory. Slabs get dirty slices first; idle memory goes back from the
// end of each region, so regions fill from their start. Thread-safe. `lock_` guards the bits and is
// never held during a system call: slices on their way back are marked as neither, so nobody gets
// them meanwhile. `grow_lock_` is held while more is made usable, `purge_lock_` while it goes back.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/core/holding.hpp"
#include "mallard/detail/pages/idle_decay.hpp"
#include "mallard/detail/pages/memory_budget.hpp"
#include "mallard/detail/pages/page_client.hpp"

namespace mallard::inline v1::detail {

struct supply_usage {
  std::size_t regions = 0;
  std::size_t regions_made = 0;  // since the start
  std::size_t in_use_bytes = 0;
  std::size_t dirty_bytes = 0;  // free, but still backed by memory
};

class slice_supply {
 public:
  explicit constexpr slice_supply(memory_budget& budget) noexcept : budget_(budget) {}
  slice_supply(const slice_supply&) = delete;
  slice_supply& operator=(const slice_supply&) = delete;

  // The use that the caller makes of its slabs.
  struct demand {
    bool busy = false;   // all of it will be touched soon, and more asked for: many pages at a time
    bool grows = false;  // those that the caller has are in use: more may come in huge pages
  };
  // Takes a run for one slab: 1, 2, 4, 8 or 16 slices, or 1 or 2 words of them, aligned to its
  // size; memory that was used before comes first. Null when the system refuses. `is_zero` is set
  // for words: whether all of the run is zero.
  void* take(std::size_t bytes, demand why, bool* is_zero = nullptr) noexcept;
  void* take(std::size_t bytes) noexcept { return take(bytes, demand()); }
  // Takes a run of whole words of slices. Null when it does not fit a region, or the system
  // refuses. `is_zero`: whether all of it is zero.
  static constexpr std::size_t word_bytes = slices_per_word * slice_bytes;
  void* take_words(std::size_t words, bool* is_zero = nullptr) noexcept;

  // Takes back what `take` or `take_words` returned.
  void give(void* p, std::size_t bytes) noexcept { give(&p, 1, bytes); }

  // The same for several runs for slabs. Returns how many there were, maybe fewer than asked for.
  unsigned take(void** out, unsigned count, std::size_t bytes) noexcept;
  void give(void* const* runs, unsigned count, std::size_t bytes) noexcept;
  // The two parts of `give`: `put_back` keeps all memory, which the first `dirty_bytes` of each run
  // have; the others are zero. `shrink` gives back a part of what the budget does not let it keep,
  // little more than `freed_bytes`.
  void put_back(void* const* runs, unsigned count, std::size_t bytes,
                std::size_t dirty_bytes) noexcept;
  void shrink(std::size_t freed_bytes) noexcept;

  // Gives back half of what nobody needed for a second, and a few regions without slices in use
  // while these fill less than half of all regions.
  void decay() noexcept;

  // Gives all free memory back to the system, and the addresses of regions without slices in use.
  // Returns the bytes of memory.
  std::size_t trim() noexcept;

  // Gives back unused addresses at the ends of regions, for a caller that needs many in a row; the
  // regions get them again if they can. Returns whether there were any.
  bool cut_regions() noexcept;
  // Call it when the process turns out to have so many addresses at most; the first region asks the
  // budget for them.
  void note_addresses(std::size_t most) noexcept;
  // Whether these are fewer than the machine has memory, or there is a limit to what it may take.
  bool is_limited() const noexcept {
    return has_few_addresses_.load(std::memory_order_relaxed) || budget_.is_set();
  }
  // Whether the last region had to be smaller because the system has no addresses for a whole one.
  bool is_confined() const noexcept { return is_confined_.load(std::memory_order_relaxed); }

  // Waits for others and gives back what the budget does not let it keep, so many portions of it.
  void keep_to_budget(std::size_t most_portions = SIZE_MAX) noexcept;
  // Changes the limit of its budget; nothing else may set that.
  void set_limit(std::size_t bytes) noexcept;
  // From now on, memory made usable while at least so many bytes are in use is of huge pages.
  // SIZE_MAX, as at first: none is. `at_hand`: only while the system has them at hand.
  void set_huge_pages_from(std::size_t bytes, bool at_hand) noexcept;
  supply_usage usage() noexcept;
  // Nothing is taken or given back while `visit(region)` runs.
  template <class Visit>
  void for_each_region(Visit&& visit) noexcept {
    const holding hold(lock_);
    for (region* r = first_; r != nullptr; r = r->next) visit(*r);
  }
  page_lock& lock() noexcept { return lock_; }
  // All locks, in the order in which they are taken.
  static constexpr std::size_t lock_count = 3;
  page_lock& lock_at(std::size_t i) noexcept {
    return i == 0 ? purge_lock_ : i == 1 ? grow_lock_ : lock_;
  }

 private:
  // A search for a run of a kind begins in the first region that may have one.
  static constexpr std::size_t run_kinds = 5;
  struct wanted_run {
    std::size_t slices;
    std::size_t step;  // it begins at a multiple of so many slices
    bool may_be_huge;
  };
  struct slice_run {
    region* in;
    std::size_t begin;
    std::size_t end;
    // With the free slices around it, which nobody may take meanwhile.
    std::size_t from;
    std::size_t to;
  };

  // Require `grow_lock_`, and that `lock_` is free.
  bool add_region() noexcept;
  static region* make_region(std::size_t reserved) noexcept;
  static bool commit_slices(region& r, std::size_t begin, std::size_t end) noexcept;
  bool extend(const wanted_run& wanted) noexcept;
  bool extend_by(region& r, std::size_t slices, bool is_huge) noexcept;
  void ask_for_huge_pages(region& r, std::size_t begin, std::size_t end) noexcept;
  void leave_small(std::size_t most_regions) noexcept;
  std::size_t remove_empty_regions(std::size_t to_keep, std::size_t most) noexcept;
  template <class Take>
  void* take_anywhere(const wanted_run& wanted, Take&& take) noexcept;
  template <class Take>
  void* try_to_take(const wanted_run& wanted, Take&& take, bool& is_refused) noexcept;
  std::size_t purge_all() noexcept;

  // Require `lock_`.
  std::size_t next_step(std::size_t slices) const noexcept;
  void set_free(region& r, std::size_t begin, std::size_t end, bool dirty) noexcept;
  template <class Take>
  void* find_anywhere(std::size_t slices, Take&& take) noexcept;
  template <class Take>
  void* find_within_limit(std::size_t slices, Take&& take, bool& is_refused) noexcept;
  void* take_from(region& r, std::size_t slices, bool& is_warm) noexcept;
  void* take_words_from(region& r, std::size_t words, std::size_t step, bool* is_zero) noexcept;
  void mark_taken(region& r, std::size_t word, std::uint64_t bits, std::size_t count) noexcept;
  void publish() noexcept;
  // In slices.
  std::size_t may_keep() noexcept;
  void clear_dirty(region& r, std::size_t word, std::uint64_t bits) noexcept;
  std::size_t take_dirty(std::size_t slices_to_keep, slice_run* runs, std::size_t most) noexcept;

  void leave_gaps_small() noexcept;
  static std::size_t cut_free_end(region& r) noexcept;
  void populate(void* p, std::size_t slices) noexcept;
  // Requires `purge_lock_`, and that `lock_` is free.
  std::size_t purge_some(std::size_t slices_to_keep, bool locked_too = false) noexcept;
  static slice_run with_clean_around(region& r, std::size_t begin, std::size_t end) noexcept;
  static void purge_header(const slice_run& run) noexcept;
  void give_back_regions() noexcept;

  // So many runs at a time: whoever gives one waits for no more.
  static constexpr std::size_t most_purged_runs = 64;

  memory_budget& budget_;
  page_lock purge_lock_;  // while memory is given back
  page_lock grow_lock_;   // while more is made usable
  page_lock lock_;        // guards the records of slices; the only one that most calls take
  // Under `grow_lock_`, with the regions' `huge_from`.
  std::size_t huge_pages_from_ = SIZE_MAX;
  bool huge_pages_at_hand_ = false;
  std::atomic<bool> has_asked_{false};  // some are marked; read also without the lock
  std::atomic<bool> has_gaps_{false};   // and a part of these went back
  std::atomic<bool> has_few_addresses_{false};
  std::atomic<bool> is_confined_{false};
  region* first_ = nullptr;
  region* last_ = nullptr;
  std::size_t regions_ = 0;
  std::size_t regions_made_ = 0;
  std::array<region*, run_kinds> search_from_{};  // null: at the first
  std::size_t searched_from_ = 0;                 // no search begins at a greater ordinal
  std::size_t under_way_slices_ = 0;              // on their way to the system
  std::size_t used_slices_ = 0;
  std::size_t dirty_slices_ = 0;
  bool is_refused_ = false;  // the system takes nothing back, because it is locked
  idle_decay idle_;          // of slices
};

}  // namespace mallard::inline v1::detail
