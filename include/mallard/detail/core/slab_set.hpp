// Purpose: everything about slabs that is not the hot path: getting, sweeping, ordering, returning.
//
// One slab_set serves all pools of a resource. Each pool has a ring of slabs with free slots: the
// current one first, fuller ones near the front. So the choice is O(1), and the emptiest slabs may
// become empty. Not thread-safe. slab_set.cpp describes how slabs come and go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>

#include "mallard/blocks.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/slab.hpp"
#include "mallard/detail/core/slab_source.hpp"

namespace mallard::inline v1::detail {

// Clears the pools of a resource. Out of line: compilers expand a memset of some hundred bytes into
// a string instruction that takes longer to start than the library's memset takes to finish.
MALLARD_API void zero(void* p, std::size_t bytes) noexcept;

inline constexpr std::size_t keep_every_slab = ~std::size_t{0};

// One of the empty slabs that a resource keeps is a pool's current one; the rest is the reserve.
constexpr std::size_t reserve_of(std::size_t empty_slabs_kept) noexcept {
  return empty_slabs_kept == 0 || empty_slabs_kept == keep_every_slab ? empty_slabs_kept
                                                                      : empty_slabs_kept - 1;
}

// Options over an upstream that takes nothing back: every empty slab is kept for reuse.
template <class Options>
constexpr Options options_over(Options options, bool upstream_takes_back) noexcept {
  if (!upstream_takes_back) options.empty_slabs_kept = keep_every_slab;
  return options;
}

struct slab_usage {
  std::size_t slabs = 0;
  std::size_t empty_slabs = 0;
  std::size_t reserved_bytes = 0;
  std::size_t taken_bytes = 0;  // including the slots that pools hold at hand
  std::size_t freed_bytes = 0;  // of slots that were taken before
};

class MALLARD_API slab_set {
 public:
  // `layouts` is the table that layout indexes refer to; it may be filled in later. `context` is
  // passed to the source's functions.
  constexpr slab_set(const slab_layout* layouts, const slab_source& source, void* context,
                     std::size_t reserve_limit) noexcept
      : layouts_(layouts),
        source_(&source),
        context_(context),
        reserve_limit_(limit_of(reserve_limit)) {}
  slab_set(const slab_set&) = delete;
  slab_set& operator=(const slab_set&) = delete;

  // Puts at least one free slot at hand, unless one is. Else it returns false, or throws what the
  // source throws.
  bool refill(slab_pool& pool, unsigned layout_index) {
    return pool.free_slots != 0 || advance(pool, layout_index) || grow(pool, layout_index);
  }

  // The two halves of `refill`. `advance` sweeps the pool's slabs; it returns false when none has
  // slots worth a sweep, and the pool has no current slab then. `grow` gets the pool's next slab
  // from the reserve or the source.
  bool advance(slab_pool& pool, unsigned layout_index) noexcept;
  bool grow(slab_pool& pool, unsigned layout_index);

  // For when the source has no slab: puts at hand a slot that is not worth a sweep, or those of a
  // smaller slab, if the layout has such sizes. O(slabs).
  bool scrape(slab_pool& pool, unsigned layout_index) noexcept;

  // Takes a block back. `layout` is that of its slab, `step` its step; constants fold away.
  MALLARD_ALWAYS_INLINE static void give(slab_pool& pool, const slab_layout& layout,
                                         const slot_step& step, void* p) noexcept {
    if (is_near(pool, p, step)) {
      return keep_at_hand(pool, step.slots_in(address_of(p) - address_of(pool.base)));
    }
    give_back(pool, layout, p);
  }

  // The same for a block that is not near. The slab knows its set, so none is passed.
  MALLARD_ALWAYS_INLINE static void give_back(slab_pool& pool, const slab_layout& layout,
                                              void* p) noexcept {
    if (give_slot(p, layout)) [[unlikely]] {
      settle_slab(pool, home_of(p, layout.slab_bytes));
    }
  }

  // `count` blocks of `bytes` bytes each, linked by their first words, in address order within a
  // slab; all or none. Throws what the source throws.
  chain_ends take_many(slab_pool& pool, unsigned layout_index, std::size_t count,
                       std::size_t bytes);

  // Takes `count` linked blocks back. Neighbours in the chain that are neighbours in memory too are
  // recorded in their slab by one access.
  void give_many(slab_pool& pool, unsigned layout_index, void* first, std::size_t count) noexcept;

  // Moves a slab whose countdown has reached zero to the place that its count asks for. `settle`
  // does so for the slab of `p`, a whole one.
  MALLARD_COLD static void settle_slab(slab_pool& pool, slab* s) noexcept;
  void settle(slab_pool& pool, unsigned layout_index, void* p) noexcept {
    settle_slab(pool, home_of(p, layouts_[layout_index].slab_bytes));
  }

  // Moves the current slab of `from_pool`, a pool of `from` without slots at hand, to `pool`, which
  // has no current slab, and makes it that. False when there is no such slab.
  bool adopt(slab_pool& pool, slab_set& from, slab_pool& from_pool, unsigned layout_index) noexcept;

  // Takes over all slabs of `from`; empty ones go to the reserve. Pools of `from` have no slots at
  // hand; the caller must reset them. `pools` are this set's, by layout index; none has small
  // slabs.
  template <class Pools>
  void absorb(Pools&& pools, slab_set& from) noexcept {
    from.reserve_.fill(nullptr);
    from.reserve_count_ = 0;
    while (slab* const s = from.all_) absorb_slab(pools[s->layout_index], from, s);
  }

  // Whether an empty slab of the layout's size is in the reserve.
  bool has_reserve(const slab_layout& layout) const noexcept;

  // Puts the slots at hand back into the pool's current slab, which stays where it is.
  void rest_pool(slab_pool& pool, unsigned layout_index) noexcept;

  // Give back the pool's current slab, if it is empty, and the whole reserve.
  void trim_pool(slab_pool& pool, unsigned layout_index) noexcept;
  void trim_reserve() noexcept;

  // For a set under a lock that must not be held while the source is called. With an unlimited
  // reserve, only these functions give slabs back.
  // - `retire_current` moves the pool's current slab, if it is empty, into the reserve.
  // - `detach_reserve` takes the reserve beyond `kept` slabs out of the set: a list linked by
  //   `ring_next` before `more`.
  // - `give_detached` gives that list to the source and uses nothing else of the set.
  void retire_current(slab_pool& pool, unsigned layout_index) noexcept;
  slab* detach_reserve(std::size_t kept, slab* more = nullptr) noexcept;
  // Takes the pool's current slab out, with its blocks in use.
  slab* detach_current(slab_pool& pool, unsigned layout_index) noexcept;
  void give_detached(slab* detached) noexcept;
  void set_reserve_limit(std::size_t slabs) noexcept { reserve_limit_ = limit_of(slabs); }
  // As over an upstream that takes nothing back.
  bool keeps_every_slab() const noexcept { return reserve_limit_ == limit_of(keep_every_slab); }

  // Gives every slab back; the caller must reset the pools. With `forget`, the upstream ignores
  // deallocation, and no slab is visited.
  void release(bool forget) noexcept;

  // Gives whole pages between blocks in use back to the system; free blocks hold no data. Inspects
  // `most_bytes` of slabs, and the next call continues behind them. `left_bytes`, at first all
  // reserved bytes, is what is left to inspect. Returns the bytes given back. O(slots of these).
  std::size_t purge_free_pages(std::size_t& left_bytes, std::size_t most_bytes) noexcept;

  // For assertions: whether a block in use at `p` is of this set and layout. `p` may be any memory.
  bool owns(const void* p, unsigned layout_index) const noexcept;
  // The set that a block seems to belong to; null when it cannot be one. Once it is confirmed,
  // `note_slab_of` makes the next check of a block of this slab faster.
  static const slab_set* owner_of_block(const void* p, const slab_layout& layout,
                                        unsigned layout_index) noexcept;
  static void note_slab_of(const void* p, const slab_layout& layout) noexcept;

  // `visit(slab&)` may not change what the set holds. O(slabs).
  template <class Visit>
  void for_each_slab(Visit&& visit) {
    slab* s = all_;
    if (s == nullptr) return;
    do {
      visit(*s);
      s = s->all_next;
    } while (s != all_);
  }

  bool has_no_slabs() const noexcept { return all_ == nullptr; }
  bool owns(const void* p) const noexcept;  // O(slabs)
  slab_usage usage() const noexcept;

 protected:
  void* context() const noexcept { return context_; }
  const slab_layout* layouts() const noexcept { return layouts_; }

 private:
  bool pays_for_memory() const noexcept {
    return source_->pays_for_memory != nullptr && source_->pays_for_memory(context_);
  }
  // By log2 of the slab size, 16 KiB to 256 KiB; larger ones are not kept.
  static constexpr std::size_t reserve_lists = 5;

  static constexpr std::uint32_t limit_of(std::size_t slabs) noexcept {
    return static_cast<std::uint32_t>(smaller(slabs, std::size_t{~std::uint32_t{0}}));
  }
  const slab_layout& layout_of(const slab& s) const noexcept {
    const slab_layout& layout = layouts_[s.layout_index];
    return s.small != 0 ? layout.smalls[s.small - 1] : layout;
  }
  slab* current_of(const slab_pool& pool, unsigned layout_index) const noexcept {
    return pool.current(layouts_[layout_index]);
  }
  void add_small(growing_pool& pool, slab& s) noexcept;
  void remove_small(slab_pool& pool, slab& s) noexcept;
  unsigned next_size(const slab_pool& pool, const slab_layout& whole) const noexcept;
  slab* take_current_if_empty(slab_pool& pool, unsigned layout_index) noexcept;
  slab* acquire(slab_pool& pool, unsigned layout_index, unsigned small, bool may_fail);
  void begin(slab_pool& pool, unsigned layout_index, slab* s) noexcept;
  bool grow_less(slab_pool& pool, unsigned layout_index) noexcept;
  void absorb_slab(slab_pool& pool, slab_set& from, slab* s) noexcept;
  slab* set_current_aside(slab_pool& pool, unsigned layout_index) noexcept;
  slab* any_free_slot(unsigned layout_index) const noexcept;
  void add(slab* s) noexcept;
  void remove(slab* s) noexcept;
  void enter_ring(slab_pool& pool, slab* s) noexcept;
  void leave_ring(slab_pool& pool, slab* s) noexcept;
  void make_current(slab_pool& pool, slab* s) noexcept;
  // Puts the pool at the slab's first word.
  void stand_at(slab_pool& pool, slab& s) const noexcept {
    pool.base = start_of(&s);
    if (layouts_[s.layout_index].smalls != nullptr) {
      static_cast<growing_pool&>(pool).near_bytes = std::uintptr_t{1} << layout_of(s).word_shift;
    }
  }
  void retire(slab_pool& pool, slab* empty) noexcept;
  void settle_own(slab_pool& pool, slab* s) noexcept;
  void discard(slab* empty) noexcept;
  void return_to_source(slab* s) noexcept;
  void start(slab_pool& pool, slab* s, const slab_layout& layout) noexcept;
  bool next_word(slab_pool& pool, slab& s) noexcept;

  const slab_layout* layouts_;
  const slab_source* source_;
  void* context_;
  slab* all_ = nullptr;
  std::uint32_t reserve_limit_;
  std::uint32_t reserve_count_ = 0;
  std::array<slab*, reserve_lists> reserve_{};
};

// Slabs from a memory resource, the set's upstream.
class MALLARD_API resource_slab_set : public slab_set {
 public:
  // The context of `source` is a resource, too.
  constexpr resource_slab_set(const slab_layout* layouts, std::pmr::memory_resource* upstream,
                              std::size_t reserve_limit,
                              const slab_source& source = resource_source) noexcept
      : slab_set(layouts, source, upstream, reserve_limit) {}
  std::pmr::memory_resource* upstream_resource() const noexcept {
    return static_cast<std::pmr::memory_resource*>(context());
  }
};

}  // namespace mallard::inline v1::detail
