#include "malloc/malloc_heap.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "mallard/detail/os/futex.hpp"
#include "mallard/detail/os/pages.hpp"
#include "malloc/background.hpp"
#include "malloc/fatal.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/magazine.hpp"
#include "malloc/malloc_heaps.hpp"

namespace mallard::inline v1::detail {

constinit void* const no_slots[2] = {nullptr, nullptr};
constinit malloc_batches no_batches{};
[[gnu::tls_model("initial-exec")]] constinit thread_local thread_cache cache =
    thread_cache::without_heap();

namespace {

void* take_slab(void* context, std::size_t bytes, const slab_rescue& rescue) {
  auto& heap = *static_cast<malloc_heap*>(context);
  bool is_zero = false;
  heap.list().pages().reuse_kept(bytes);
  void* const p = heap.list().supply().take(
      bytes, {heap.is_busy(rescue.layout_index), heap.fills_slabs_of(rescue.layout_index)},
      &is_zero);
  heap.note_slab_is_zero(is_zero);
  if (p != nullptr) {
    heap.reserve_more(bytes);
  } else if (!heap.knows_no_slot(rescue.layout_index) && !rescue()) {
    heap.note_no_slot(rescue.layout_index);
  }
  return p;
}

void give_slab(void* context, void* p, std::size_t bytes) noexcept {
  auto& heap = *static_cast<malloc_heap*>(context);
  heap.reserve_less(bytes);
  heap.list().supply().give(p, bytes);
}

constexpr slab_source supply_source{take_slab, give_slab};

// Slabs of several slices that have one bitmap word have room for another in their record: a bit
// for each slot that was zero when the slab came, if no block has come back to it since.
constexpr bool knows_zero_slots(unsigned size_class) noexcept {
  return !is_header_in_slab && size_class >= class_count;
}

static_assert(class_layouts[class_count].words == 1 && class_layouts.back().words == 1);

std::uint64_t& zero_slots_of(slab& s) noexcept {
  return s.words()[1];
}

std::uint64_t bit_of_slot(const void* p, const slab_layout& layout) noexcept {
  return std::uint64_t{1} << address_of(p) % layout.slab_bytes / layout.block_bytes;
}

}  // namespace

malloc_heap::malloc_heap(malloc_heaps& list, std::size_t number) noexcept
    : slab_set(class_layouts.data(), supply_source, this, kept_slabs),
      list_(list),
      number_(number) {}

void malloc_heap::attach(thread_cache& to) noexcept {
  to.heap = this;
  to.batches = &batches_;
  to.foreign = slice_mark::foreign_to(number_, false);
  magazines_.store(&to, std::memory_order_release);
}

void malloc_heap::move_magazines(thread_cache& to) noexcept {
  const holding hold(lock_);
  magazines_.store(&to, std::memory_order_release);
}

void malloc_heap::detach(thread_cache& from) noexcept {
  const holding hold(lock_);
  post_all();
  collect();
  for (unsigned c = 0; c < malloc_class_count; ++c) empty_magazine(from, c);
  post_all();
  from.leave_heap();
  magazines_.store(nullptr, std::memory_order_relaxed);
  give_back_empty();
  for (unsigned c = 0; c < malloc_class_count; ++c) rest_pool(pools_[c], c);
  set_kept(0);
}

void malloc_heap::rest_without_thread() noexcept {
  const holding hold(lock_);
  grown_.fill(0);
  budgeted_bytes_ = 0;
  forget_batches();
  rest_and_give_back_empty();
  set_kept(0);
}

void malloc_heap::give_back_empty() noexcept {
  for (unsigned c = 0; c < malloc_class_count; ++c) trim_pool(pools_[c], c);
  trim_reserve();
}

std::size_t malloc_heap::trim(bool pages) noexcept {
  const holding hold(lock_);
  return idle.load(std::memory_order_acquire) ? 0 : give_back_free(pages);
}

void malloc_heap::rest_and_give_back_empty() noexcept {
  collect();
  give_back_empty();
  // Blocks at hand count as in use.
  for (unsigned c = 0; c < malloc_class_count; ++c) rest_pool(pools_[c], c);
}

std::size_t malloc_heap::give_back_free(bool pages) noexcept {
  rest_and_give_back_empty();
  if (!pages) return 0;
  set_kept(0);
  if (purged_at_filled_bytes_ == filled_bytes_ && purged_at_spilled_bytes_ == spilled_bytes_) {
    return 0;
  }
  purged_at_filled_bytes_ = filled_bytes_;
  purged_at_spilled_bytes_ = spilled_bytes_;
  to_purge_bytes_ = slab_set::usage().reserved_bytes;
  return purge_free_pages(to_purge_bytes_, SIZE_MAX);
}

malloc_heap::quiet malloc_heap::trim_if_quiet() noexcept {
  if (idle.load(std::memory_order_relaxed)) return quiet::is_trimmed;
  if (!lock_.try_lock()) return quiet::is_needed;
  const bool is_quiet = !idle.load(std::memory_order_acquire) && calls_ == calls_seen_;
  calls_seen_ = calls_;
  if (is_quiet && !is_trimmed_) {
    collect(most_at_once);
    if (has_waiting()) {
      lock_.unlock();
      return quiet::may_have_more;
    }
    rest_and_give_back_empty();
    purge_down_to(0);
  }
  is_trimmed_ = is_quiet;
  const bool may_have_more = is_quiet && to_purge_bytes_ != 0;
  if (may_have_more) purge_portion();
  lock_.unlock();
  return !is_quiet ? quiet::is_needed : may_have_more ? quiet::may_have_more : quiet::is_trimmed;
}

// Its thread may not come for long. While there is too much, each sender puts back more than it
// sent, also after a thread that held the lock was stopped: but a sender waits a moment only, as
// that thread may not go on. One that may hold other locks does not wait.
void malloc_heap::put_back_sent(bool is_too_much) noexcept {
  const kept_errno keep;
  if (!lock_.try_lock()) {
    if (!is_too_much || slow_path::may_hold_lock()) return;
    os::sleep_briefly();
    if (!lock_.try_lock()) return;
  }
  if (!idle.load(std::memory_order_acquire)) collect(std::size_t{2} * longest_batch_blocks);
  lock_.unlock();
}

bool malloc_heap::fills_slabs_of(unsigned size_class) const noexcept {
  const std::size_t taken = taken_of_slabs();
  if (taken <= os::huge_page_bytes || taken <= reserved_bytes_ / 2) return false;
  return class_bytes(size_class) <= largest_filled_bytes || list_.budget().touches_its_slices();
}

void malloc_heap::mark_slab(slab& s) noexcept {
  const slab_layout& layout = class_layouts[s.layout_index];
  region::of(&s)->set_marks(
      region::index_of(start_of(&s)), layout.slab_bytes / slice_bytes,
      slice_mark::of_slab(number_, s.layout_index, stays_anywhere(s.layout_index)));
}

void malloc_heap::took(slab& s, malloc_heap& from) noexcept {
  mark_slab(s);
  reserve_more(class_layouts[s.layout_index].slab_bytes);
  without_slots_ &= ~class_bit(s.layout_index);
  const std::size_t taken = s.taken() * class_layouts[s.layout_index].block_bytes;
  from.filled_bytes_ -= taken;
  filled_bytes_ += taken;
  purged_at_filled_bytes_ = from.purged_at_filled_bytes_ = never;
  warm_to_bytes_ += taken;
}

void malloc_heap::absorb_all(malloc_heap& from) noexcept {
  from.for_each_slab([&](slab& s) {
    checks::using_slab(s, &from, s.layout_index);
    mark_slab(s);
  });
  from.reserved_bytes_ = 0;
  without_slots_ = 0;
  filled_bytes_ += from.taken_bytes();
  from.filled_bytes_ = from.spilled_bytes_;
  purged_at_filled_bytes_ = from.purged_at_filled_bytes_ = never;
  absorb(pools_.data(), from);
  from.pools_ = {};
}

void malloc_heap::note_grown() noexcept {
  if (to_purge_bytes_ != 0) purge_portion();
  if (reserved_bytes_ <= grown_to_bytes_ + bytes_between_looks + reserved_bytes_ / 8) return;
  grown_to_bytes_ = reserved_bytes_;
  look_for_free_pages();
}

void malloc_heap::look_after_spills(unsigned size_class) noexcept {
  without_slots_ &= ~class_bit(size_class);
  if (to_purge_bytes_ != 0) purge_portion();
  if (spilled_bytes_ - spilled_at_look_bytes_ > bytes_between_looks) {
    spilled_at_look_bytes_ = spilled_bytes_;
    look_for_free_pages();
  }
  look_at_spilled_bytes_ = to_purge_bytes_ != 0 || without_slots_ != 0
                               ? spilled_bytes_
                               : spilled_at_look_bytes_ + bytes_between_looks;
}

// Called from time to time.
void malloc_heap::look_if_due() noexcept {
  if (os::milliseconds() - looked_at_ >= idle_decay::milliseconds) return look_for_free_pages();
  note_touched();
}

// Purges free pages until only so many bytes are kept.
void malloc_heap::purge_down_to(std::size_t bytes) noexcept {
  purge_to_bytes_ = bytes;
  to_purge_bytes_ = reserved_bytes_;
  spilled_at_purge_bytes_ = spilled_bytes_;
}

// After all slabs were inspected, what is left lies on pages with blocks in use, and is not kept;
// unless it was freed meanwhile.
void malloc_heap::purge_portion() noexcept {
  const std::size_t bytes = purge_free_pages(to_purge_bytes_, purged_portion_bytes);
  std::size_t warm = warm_bytes() - std::min(warm_bytes(), bytes);
  if (to_purge_bytes_ == 0) {
    warm = std::min(warm, purge_to_bytes_ + (spilled_bytes_ - spilled_at_purge_bytes_));
  }
  if (purge_to_bytes_ != 0 && warm <= purge_to_bytes_) to_purge_bytes_ = 0;
  warm_to_bytes_ = taken_bytes() + warm;
  idle_pages_.fell_to(warm);
  set_kept(warm);
}

void malloc_heap::note_touched() noexcept {
  warm_to_bytes_ = std::max(warm_to_bytes_, taken_bytes());
  idle_pages_.fell_to(warm_bytes());
  set_kept(warm_bytes());
  list_.budget().note_use();
}

void malloc_heap::set_kept(std::size_t bytes) noexcept {
  if (bytes == kept_bytes_) return;
  list_.budget().kept_in_slabs.fetch_add(bytes - kept_bytes_, std::memory_order_relaxed);
  kept_bytes_ = bytes;
}

// Gives back pages that no block touches, if the budget does not let the heap keep them or nobody
// has needed them for a second. There are hardly any unless a quarter of the slabs' bytes is
// unused. The first portion goes now, the others with later calls.
void malloc_heap::look_for_free_pages() noexcept {
  looked_at_ = os::milliseconds();
  note_touched();
  const std::size_t warm = warm_bytes();
  const std::size_t to_keep =
      std::min(idle_pages_.rest_of(warm), list_.budget().may_keep_in_slabs(kept_bytes_));
  if (warm <= to_keep || unused_bytes() < reserved_bytes_ / 4) return;
  purge_down_to(to_keep);
  purge_portion();
}

void malloc_heap::check_current(unsigned size_class) const noexcept {
  const slab_pool& pool = pools_[size_class];
  if (pool.base == nullptr) return;
  checks::using_slab(*pool.current(class_layouts[size_class]), this, size_class);
}

bool malloc_heap::find_slots(unsigned size_class) noexcept {
  check_current(size_class);
  if (advance_or_adopt(size_class)) return true;
  while (list_.has_orphans() && !idle.load(order::relaxed) && list_.take_over_orphan()) {
    if (advance_or_adopt(size_class)) return true;
  }
  slab_pool& pool = pools_[size_class];
  if (!grow(pool, size_class)) return false;
  slab& fresh = *pool.current(class_layouts[size_class]);
  mark_slab(fresh);
  if (knows_zero_slots(size_class)) zero_slots_of(fresh) = is_slab_zero_ ? ~std::uint64_t{0} : 0;
  note_grown();
  return true;
}

void** malloc_heap::bottom_of(unsigned size_class) noexcept {
  return grown_[size_class] <= small_capacity
             ? small_slots_.data() + size_class * (small_capacity + 2)
             : slots_.data() + magazine_begin[size_class];
}

// The blocks were freed last, or come from a slab in order: the order stays.
void malloc_heap::fill_portion(thread_cache& of, unsigned size_class) noexcept {
  if (*of.portion_top_of(size_class) != nullptr) return;
  const std::size_t most = std::min(held_in_magazine(of, size_class), portion_capacity(size_class));
  const std::size_t count = sampled_[size_class].count_ahead(block_bytes_of(size_class), most);
  void** const bottom = portion_bottom(size_class);
  void** const taken = of.top_of(size_class) -= count;
  // A signal handler that does not return must find no block in both.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  *bottom = nullptr;
  std::memcpy(bottom + 1, taken + 1, count * sizeof(void*));
  std::atomic_signal_fence(std::memory_order_seq_cst);
  of.portion_top_of(size_class) = bottom + count;
}

void malloc_heap::empty_portion(thread_cache& of, unsigned size_class) noexcept {
  const std::size_t count = held_in_portion(of, size_class);
  if (count == 0) return;
  void** const bottom = portion_bottom(size_class);
  sampled_[size_class].take_back(block_bytes_of(size_class), count);
  take_out(of.portion_top_of(size_class));
  give_run(bottom + 1, bottom + 1 + count, size_class);
}

void malloc_heap::empty_magazine(thread_cache& of, unsigned size_class) noexcept {
  if (grown_[size_class] == 0) return;
  empty_portion(of, size_class);
  void** const bottom = bottom_of(size_class);
  void** const top = take_out(of.top_of(size_class));
  if (top != bottom) give_run(bottom + 1, top + 1, size_class);
  if (size_class >= first_budgeted_class) {
    budgeted_bytes_ -= std::size_t{grown_[size_class]} * class_steps[size_class].block_bytes;
  }
  grown_[size_class] = 0;
}

// Whether the magazine may get room for so many more bytes. A first one always may.
bool malloc_heap::make_room_for(thread_cache& of, std::size_t bytes, unsigned size_class) noexcept {
  if (size_class < first_budgeted_class) return true;
  if (budgeted_bytes_ + bytes > magazine_budget_bytes && grown_[size_class] != 0) return false;
  for (unsigned tried = first_evicted_class;
       tried < malloc_class_count && budgeted_bytes_ + bytes > magazine_budget_bytes; ++tried) {
    if (next_to_empty_ == malloc_class_count) next_to_empty_ = first_evicted_class;
    empty_magazine(of, next_to_empty_++);
  }
  budgeted_bytes_ += bytes;
  return true;
}

void malloc_heap::grow_magazine(thread_cache& of, unsigned size_class) noexcept {
  const std::size_t before = grown_[size_class];
  if (before == magazine_capacities[size_class]) return;
  const std::size_t capacity = before == 0 ? first_capacity(size_class) : before * 2;
  const std::size_t more_bytes = (capacity - before) * class_steps[size_class].block_bytes;
  if (!make_room_for(of, more_bytes, size_class)) return;
  void** const old = bottom_of(size_class);
  const std::ptrdiff_t held = before == 0 ? 0 : of.top_of(size_class) - old;
  grown_[size_class] = static_cast<std::uint8_t>(capacity);
  void** const bottom = bottom_of(size_class);
  if (bottom != old) std::copy_n(old + 1, held, bottom + 1);
  // Only the slots below and above are null.
  note_filled_by_frees(bottom + 1 + held, bottom + 1 + capacity);
  bottom[0] = bottom[1 + capacity] = nullptr;
  of.top_of(size_class) = bottom + held;
}

void* malloc_heap::take_one(unsigned size_class) noexcept {
  if (!find_slots(size_class)) return nullptr;
  void* const p = take_slot(pools_[size_class], class_steps[size_class].block_bytes);
  filled_bytes_ += class_steps[size_class].block_bytes;
  checks::left_slab(p, size_class);
  return p;
}

template <bool Ahead>
void* malloc_heap::refill_locked(thread_cache& to, unsigned size_class) noexcept {
  grow_magazine(to, size_class);
  std::size_t most = std::max<std::size_t>(first_capacity(size_class), grown_[size_class] / 2);
  collect(most);
  if (!find_slots(size_class)) return nullptr;
  slab_pool& pool = pools_[size_class];
  void** bottom = to.top_of(size_class);
  if constexpr (Ahead) {
    bottom = portion_bottom(size_class);
    *bottom = nullptr;
    most = 1 + sampled_[size_class].count_ahead(block_bytes_of(size_class), most - 1);
  }
  const std::size_t count = fill_from_pool(pool, bottom, most, size_class);
  if constexpr (Ahead) sampled_[size_class].take_back(block_bytes_of(size_class), most - count);
  filled_bytes_ += count * class_steps[size_class].block_bytes;
  check_current(size_class);
  checks::refilled(bottom + 1, bottom + 1 + count, size_class);
  (Ahead ? to.portion_top_of(size_class) : to.top_of(size_class)) = bottom + count - 1;
  return bottom[count];
}

void* malloc_heap::refill(thread_cache& to, unsigned size_class, bool ahead) noexcept {
  lock_.lock();
  void* const p =
      ahead ? refill_locked<true>(to, size_class) : refill_locked<false>(to, size_class);
  const bool looks_around = ++calls_ % calls_between_looks_around == 0;
  if (looks_around) look_if_due();
  lock_.unlock();
  if (looks_around && !background_looks(true)) list_.trim_quiet();
  return p;
}

void malloc_heap::spill(thread_cache& from, void* p, std::size_t size_class) noexcept {
  lock_.lock();
  spill_locked(from, p, static_cast<unsigned>(size_class));
  const bool looks_around = ++calls_ % calls_between_looks_around == 0;
  if (looks_around) look_if_due();
  lock_.unlock();
  if (looks_around && !background_looks(false)) list_.trim_quiet();
}

void malloc_heap::spill_locked(thread_cache& from, void* p, unsigned size_class) noexcept {
  grow_magazine(from, size_class);
  if (from.give(p, magazine_of(size_class))) return;
  // Gives the older half: what was freed last is in the processor's caches.
  void** const bottom = bottom_of(size_class);
  const std::size_t kept = grown_[size_class] / 2u;
  const std::size_t given = grown_[size_class] - kept;
  take_out(from.top_of(size_class));
  give_run(bottom + 1, bottom + 1 + given, size_class);
  std::memcpy(bottom + 1, bottom + 1 + given, kept * sizeof(void*));
  note_filled_by_frees(bottom + 1 + kept, bottom + 1 + grown_[size_class]);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  from.top_of(size_class) = bottom + kept;
  from.give(p, magazine_of(size_class));
}

// Whether the first two blocks are as near as blocks allocated one after the other.
bool malloc_heap::are_neighbours(void* const* first, void* const* last,
                                 std::uintptr_t span) noexcept {
  return last - first > 1 && address_of(first[1]) - address_of(first[0]) + span < 2 * span;
}

void malloc_heap::forget_zero_slots(void* const* first, void* const* last,
                                    unsigned size_class) noexcept {
  const slab_layout& layout = class_layouts[size_class];
  for (; first != last; ++first) {
    slab& home = *home_of(*first, layout.slab_bytes);
    const bool is_mine = home.owner.load(std::memory_order_relaxed) == this;
    if (is_mine) zero_slots_of(home) &= ~bit_of_slot(*first, layout);
  }
}

bool malloc_heap::is_first_use(const void* p, unsigned size_class) noexcept {
  if (!knows_zero_slots(size_class)) return false;
  const holding hold(lock_);
  const slab_layout& layout = class_layouts[size_class];
  slab& home = *home_of(const_cast<void*>(p), layout.slab_bytes);
  const bool is_mine = home.owner.load(std::memory_order_relaxed) == this;
  return is_mine && (zero_slots_of(home) & bit_of_slot(p, layout)) != 0;
}

// Blocks that were allocated one after the other are often freed so: then a bitmap word is written
// once. For those in no order that would only be a detour.
void malloc_heap::give_run(void* const* first, void* const* last, unsigned size_class) noexcept {
  const slab_layout& layout = class_layouts[size_class];
  const unsigned granule_shift = layout.granule_shift;
  const std::size_t bytes = static_cast<std::size_t>(last - first) * layout.block_bytes;
  note_spilled(bytes, size_class);
  if (knows_zero_slots(size_class)) [[unlikely]] {
    forget_zero_slots(first, last, size_class);
  }
  if (!checks::checks_slabs &&
      are_neighbours(first, last, std::uintptr_t{1} << layout.word_shift)) {
    first = give_runs(first, last, size_class);
  }
  for (const slab* checked = nullptr; first != last; ++first) {
    void* const p = *first;
    slab* const home = home_of(p, layout.slab_bytes);
    if (home->owner.load(std::memory_order_relaxed) != this) [[unlikely]] {
      first = send_run(first, last, layout) - 1;
      continue;
    }
    if (checks::checks_slabs && home != checked) {
      checks::using_slab(*home, this, size_class);
      checked = home;
    }
    const std::uintptr_t granule = (address_of(p) & (layout.slab_bytes - 1)) >> granule_shift;
    std::uint64_t& word = home->words()[granule / 64];
    const std::uint64_t before = word;
    word = before | std::uint64_t{1} << (granule % 64);
    if (word == before) [[unlikely]] {
      fatal("double free of the block", p);
    }
    if (--home->countdown == 0) [[unlikely]] {
      settle(pools_[size_class], size_class, p);
      checked = nullptr;
    }
  }
  // The last slab of a class usually stays, empty or not; one of large blocks is too large.
  if (layout.block_bytes > largest_class_bytes) trim_pool(pools_[size_class], size_class);
}

// Sends blocks as long as others' follow each other. Returns those that are left.
void* const* malloc_heap::send_run(void* const* first, void* const* last,
                                   const slab_layout& layout) noexcept {
  void* const* const begin = first;
  const std::size_t slab_bytes = layout.slab_bytes;
  do {
    void* const p = *first;
    const slab* const home = home_of(p, slab_bytes);
    if (home->owner.load(std::memory_order_relaxed) == this) break;
    const slice_mark mark = mark_of(p);
    checks::not_owning(*home, mark, this);
    send(p, mark);
  } while (++first != last);
  filled_bytes_ += static_cast<std::size_t>(first - begin) * layout.block_bytes;
  return first;
}

// Gives back blocks as long as those of one word follow each other. Returns those that are left.
void* const* malloc_heap::give_runs(void* const* first, void* const* last,
                                    unsigned size_class) noexcept {
  const slab_layout& layout = class_layouts[size_class];
  const unsigned granule_shift = layout.granule_shift;
  const std::uintptr_t span = std::uintptr_t{1} << layout.word_shift;
  while (first != last) {
    void* const p = *first;
    slab* const home = home_of(p, layout.slab_bytes);
    if (home->owner.load(std::memory_order_relaxed) != this) return first;
    // Stops at the block at which the slab must change places.
    void* const* const end =
        first + std::min<std::ptrdiff_t>(last - first, std::ptrdiff_t{home->countdown});
    const std::uintptr_t start = address_of(p) & ~(span - 1);
    std::uint64_t& word = home->words()[(start & (layout.slab_bytes - 1)) >> layout.word_shift];
    std::uint64_t bits = word;
    void* const* const begin = first;
    do {
      const std::uintptr_t offset = address_of(*first) - start;
      if (offset >= span) break;
      const std::uint64_t before = bits;
      bits |= std::uint64_t{1} << (offset >> granule_shift);
      if (bits == before) [[unlikely]] {
        fatal("double free of the block", *first);
      }
    } while (++first != end);
    word = bits;
    const auto given = static_cast<std::uint32_t>(first - begin);
    home->countdown -= given;
    if (home->countdown == 0) settle(pools_[size_class], size_class, p);
    if (given == 1) return first;
  }
  return first;
}

std::size_t malloc_heap::at_hand_bytes() noexcept {
  const holding hold(lock_);
  const thread_cache* const magazines = magazines_.load(std::memory_order_acquire);
  if (magazines == nullptr) return 0;
  collect();
  std::size_t bytes = 0;
  for (unsigned c = 0; c < malloc_class_count; ++c)
    bytes += (held_in_magazine(*magazines, c) + held_in_portion(*magazines, c)) * class_bytes(c);
  return bytes;
}

}  // namespace mallard::inline v1::detail
