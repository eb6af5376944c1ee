#include "malloc/malloc_heap.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "mallard/detail/os/pages.hpp"
#include "malloc/fatal.hpp"
#include "malloc/heap_list.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/slice_supply.hpp"

namespace mallard::inline v1::detail {

constinit void* const no_slot[1] = {nullptr};
[[gnu::tls_model("initial-exec")]] constinit thread_local thread_cache cache =
    thread_cache::without_heap();

namespace {

void* take_slab(void* heap, std::size_t bytes, const slab_rescue& rescue) {
  const bool busy = static_cast<malloc_heap*>(heap)->is_busy(rescue.layout_index);
  void* const p = the_supply.take(bytes, busy);
  if (p == nullptr) {
    rescue();
  } else {
    static_cast<malloc_heap*>(heap)->reserve_more(bytes);
  }
  return p;
}

void give_slab(void* heap, void* p, std::size_t bytes) noexcept {
  static_cast<malloc_heap*>(heap)->reserve_less(bytes);
  the_supply.give(p, bytes);
}

constexpr slab_source supply_source{take_slab, give_slab};

// Empty slabs that a heap keeps, so that it does not ask for a lock whenever one comes and goes.
// Those keep their marks: nobody can hold a block of them.
constexpr std::size_t kept_slabs = 4;

}  // namespace

malloc_heap::malloc_heap() noexcept
    : slab_set(class_layouts.data(), supply_source, this, kept_slabs) {}

void malloc_heap::attach(thread_cache& to) noexcept {
  magazines_ = &to;
  to.heap = this;
  to.heap_name = mark();
}

void malloc_heap::detach(thread_cache& from) noexcept {
  post_all();
  collect();
  for (unsigned c = 0; c < malloc_class_count; ++c) {
    if (grown_[c] == 0) continue;
    give_blocks(bottom_of(c) + 1, from.top[c] + 1, c);
    grown_[c] = 0;
  }
  post_all();
  from = thread_cache::without_heap();
  magazines_ = nullptr;
  trim();
  for (unsigned c = 0; c < malloc_class_count; ++c) rest(c);
}

void malloc_heap::trim() noexcept {
  collect();
  for (unsigned c = 0; c < malloc_class_count; ++c) trim_pool(pools_[c], c);
  trim_reserve();
}

// Puts the slots at hand back into their slab.
void malloc_heap::rest(unsigned size_class) noexcept {
  slab_pool& pool = pools_[size_class];
  for (; pool.free_slots != 0; pool.free_slots &= pool.free_slots - 1) {
    const auto slot = static_cast<std::size_t>(std::countr_zero(pool.free_slots));
    static_cast<void>(give_slot(pool.base + slot * class_layouts[size_class].block_bytes,
                                class_layouts[size_class]));
  }
}

void malloc_heap::mark_current(unsigned size_class) noexcept {
  const slab_layout& layout = class_layouts[size_class];
  slab* const s = pools_[size_class].current(layout);
  region::of(s)->set_marks(region::index_of(s), layout.slab_bytes / slice_bytes,
                           mark() | size_class);
}

void malloc_heap::note_grown() noexcept {
  if (reserved_bytes_ <= grown_to_bytes_ + bytes_between_looks + reserved_bytes_ / 8) return;
  grown_to_bytes_ = reserved_bytes_;
  look_for_free_pages();
}

// Now and then, and at once when very much was freed: the program may do nothing any more.
void malloc_heap::look_after_spills() noexcept {
  const unsigned long long now = os::milliseconds();
  const std::size_t much = bytes_between_looks + reserved_bytes_ / 4;
  if (spilled_bytes_ < much && now - looked_at_ < milliseconds_between_looks) {
    look_at_spilled_bytes_ = much;
    return;
  }
  looked_at_ = now;
  spilled_bytes_ = 0;
  look_at_spilled_bytes_ = bytes_between_looks + reserved_bytes_ / 8;
  look_for_free_pages();
}

// Slabs that are hardly used hold pages that no block touches. When blocks there were taken again
// after the last time, the next time is not soon.
void malloc_heap::look_for_free_pages() noexcept {
  const slab_usage now = slab_set::usage();
  const std::size_t unused = now.freed_bytes;
  unused_bytes_ = std::min(unused_bytes_, unused);
  if (unused < now.reserved_bytes / 4 || unused < unused_bytes_ + now.reserved_bytes / 8) return;
  const unsigned long long time = os::milliseconds();
  const bool regretted = unused_bytes_ < purged_at_bytes_;
  if (regretted && time - purged_at_ < milliseconds_between_looks) return;
  purged_at_ = time;
  unused_bytes_ = purged_at_bytes_ = unused;
  purge_free_pages();
}

bool malloc_heap::adopt_from_idle(unsigned size_class) noexcept {
  // Who works on an idle heap holds the lock that this would take.
  if (!the_heaps.have_idle() || idle.load(std::memory_order_relaxed)) return false;
  const holding hold(the_heaps.lock());
  for (malloc_heap* from = the_heaps.first_idle(); from != nullptr; from = from->next_idle) {
    from->collect();
    from->check_current(size_class);
    if (!adopt(pools_[size_class], *from, from->pools_[size_class], size_class)) continue;
    mark_current(size_class);
    from->reserve_less(class_layouts[size_class].slab_bytes);
    reserve_more(class_layouts[size_class].slab_bytes);
    if (advance(pools_[size_class], size_class)) return true;
  }
  return false;
}

void malloc_heap::check_current(unsigned size_class) const noexcept {
  const slab_pool& pool = pools_[size_class];
  if (pool.base == nullptr) return;
  checks::using_slab(*pool.current(class_layouts[size_class]), this, size_class);
}

bool malloc_heap::find_slots(unsigned size_class) noexcept {
  slab_pool& pool = pools_[size_class];
  check_current(size_class);
  if (pool.free_slots != 0 || advance(pool, size_class)) return true;
  if (adopt_from_idle(size_class)) return true;
  if (!grow(pool, size_class)) return false;
  mark_current(size_class);
  note_grown();
  return true;
}

void** malloc_heap::bottom_of(unsigned size_class) noexcept {
  return grown_[size_class] <= small_capacity
             ? small_slots_.data() + size_class * (small_capacity + 1)
             : slots_.data() + magazine_begin[size_class];
}

void malloc_heap::grow_magazine(thread_cache& of, unsigned size_class) noexcept {
  std::uint8_t& capacity = grown_[size_class];
  if (capacity == magazine_capacity(size_class)) return;
  void** const old = bottom_of(size_class);
  if (capacity == 0) {
    *old = nullptr;
    of.top[size_class] = old;
    capacity = small_capacity;
  } else {
    const std::ptrdiff_t held = of.top[size_class] - old;
    capacity = static_cast<std::uint8_t>(capacity * 2);
    void** const bottom = bottom_of(size_class);
    if (bottom != old) std::copy_n(old, held + 1, bottom);
    of.top[size_class] = bottom + held;
  }
  of.limit[size_class] = bottom_of(size_class) + capacity;
}

void* malloc_heap::take_one(unsigned size_class) noexcept {
  collect();
  if (!find_slots(size_class)) return nullptr;
  void* const p = take_slot(pools_[size_class], class_steps[size_class].block_bytes);
  checks::left_slab(p, size_class);
  return p;
}

void* malloc_heap::refill(thread_cache& to, unsigned size_class) noexcept {
  grow_magazine(to, size_class);
  collect();
  if (!find_slots(size_class)) return nullptr;
  slab_pool& pool = pools_[size_class];
  const std::size_t block_bytes = class_steps[size_class].block_bytes;
  // One word of the bitmap: the lowest address is handed out first, so it comes last.
  const std::size_t most = std::max<std::size_t>(small_capacity, grown_[size_class] / 2);
  const std::size_t count =
      std::min(static_cast<std::size_t>(std::popcount(pool.free_slots)), most);
  void** const bottom = to.top[size_class];
  void** slot = bottom + count;
  std::uint64_t free = pool.free_slots;
  while (slot != bottom) {
    const auto start = static_cast<unsigned>(std::countr_zero(free));
    std::byte* p = pool.base + start * block_bytes;
    const auto run = static_cast<unsigned>(std::countr_one(free >> start));
    const std::size_t taken = std::min<std::size_t>(run, static_cast<std::size_t>(slot - bottom));
    for (void** const end = slot - taken; slot != end; p += block_bytes) *slot-- = p;
    free &= ~(low_bits(static_cast<unsigned>(taken)) << start);
  }
  pool.free_slots = free;
  check_current(size_class);
  checks::refilled(bottom + 1, bottom + 1 + count, size_class);
  to.top[size_class] = bottom + count - 1;
  return bottom[count];
}

void malloc_heap::spill(thread_cache& from, void* p, std::size_t of_class) noexcept {
  const auto size_class = static_cast<unsigned>(of_class);
  grow_magazine(from, size_class);
  if (from.give(p, size_class)) return;
  // The older half: what was freed last is in the processor's caches.
  void** const bottom = bottom_of(size_class);
  const std::size_t half = magazine_capacity(size_class) / 2;
  give_blocks(bottom + 1, bottom + 1 + half, size_class);
  std::memcpy(bottom + 1, bottom + 1 + half, half * sizeof(void*));
  from.top[size_class] = bottom + half;
  from.give(p, size_class);
}

// One of the blocks is free already: say which.
[[noreturn]] MALLARD_COLD void freed_twice(void* const* first, void* const* last,
                                           std::uint64_t free, std::uintptr_t start,
                                           unsigned granule_shift) noexcept {
  const auto is_free = [&](const void* p) {
    return (free >> ((address_of(p) - start) >> granule_shift) & 1) != 0;
  };
  fatal("double free of the block", *std::find_if(first, last, is_free));
}

// Blocks that were allocated together are often freed together: one word of one slab at a time.
void malloc_heap::give_blocks(void* const* first, void* const* last, unsigned size_class) noexcept {
  const slab_layout& layout = class_layouts[size_class];
  const unsigned granule_shift = layout.granule_shift;
  const std::uintptr_t word_bytes = std::uintptr_t{1} << layout.word_shift;
  note_spilled(static_cast<std::size_t>(last - first) * layout.block_bytes);
  while (first != last) {
    void* const p = *first;
    slab* const home = aligned_start<slab>(p, layout.slab_bytes);
    const std::uintptr_t start = address_of(p) & ~(word_bytes - 1);
    if (home->owner.load(std::memory_order_relaxed) != this) {
      const slice_mark mark = mark_of(p);
      checks::not_owning(*home, mark, this);
      send(p, mark);
      ++first;
      continue;
    }
    checks::using_slab(*home, this, size_class);
    // Not beyond the block at which the slab has to change places.
    void* const* const begin = first;
    void* const* const end =
        begin + std::min<std::ptrdiff_t>(last - begin, std::ptrdiff_t{home->countdown});
    std::uint64_t bits = 0;
    do {
      const std::uintptr_t offset = address_of(*first) - start;
      if (offset >= word_bytes) break;
      bits |= std::uint64_t{1} << (offset >> granule_shift);
    } while (++first != end);
    std::uint64_t& word = home->words()[(start - address_of(home)) >> layout.word_shift];
    if ((word & bits) != 0) [[unlikely]] {
      freed_twice(begin, first, word, start, granule_shift);
    }
    word |= bits;
    home->countdown -= static_cast<std::uint32_t>(first - begin);
    if (home->countdown == 0) settle(pools_[size_class], size_class, p);
  }
  // The last slab of a class usually stays, empty or not. That of large blocks is too much for it.
  if (layout.block_bytes > largest_class_bytes) trim_pool(pools_[size_class], size_class);
}

void malloc_heap::post(batch& b) noexcept {
  if (b.to == nullptr) return;
  malloc_heap* const to = b.to;
  to->incoming_.push(b.first, b.last);
  b = {};
  // In one order with the push, and the other way round in `heap_list::end_thread`.
  if (!to->idle.load(std::memory_order_seq_cst)) return;
  // Who works on an idle heap holds the lock that this would take.
  if (idle.load(std::memory_order_relaxed)) {
    to->collect();
    return;
  }
  const kept_errno keep;
  the_heaps.collect_idle(*to);
}

void malloc_heap::post_all() noexcept {
  for (batch& b : batches_) post(b);
}

void malloc_heap::send_first(batch& b, void* p, slice_mark mark) noexcept {
  post(b);
  auto* const block = ::new (p) remote_block(nullptr);
  b = {of_mark(mark), block, block, static_cast<std::int32_t>(batch_bytes)};
}

void malloc_heap::send_alone(void* p, slice_mark mark) noexcept {
  malloc_heap* const to = of_mark(mark);
  auto* const block = ::new (p) remote_block(nullptr);
  to->incoming_.push(block, block);
  if (to->idle.load(std::memory_order_seq_cst)) the_heaps.collect_idle(*to);
}

// A block of a slab that has changed hands. Nobody would look after the batches of an idle heap;
// but whoever works on it holds the lock, and may work on all that are idle.
void malloc_heap::forward(remote_block* block, slice_mark mark) noexcept {
  if (!idle.load(std::memory_order_relaxed)) return send(block, mark);
  malloc_heap* const to = of_mark(mark);
  if (!to->idle.load(std::memory_order_relaxed)) return to->incoming_.push(block, block);
  void* const p = block;
  to->give_blocks(&p, &p + 1, static_cast<unsigned>(mark % mark_limit));
}

void malloc_heap::collect_all() noexcept {
  std::array<void*, longest_batch_blocks> run;
  remote_block* block = incoming_.take_all();
  while (block != nullptr) {
    // The slab may have changed hands while the block was under way.
    const slice_mark mark = mark_of(block);
    if (of_mark(mark) != this) {
      remote_block* const after = block->next();
      forward(block, mark);
      block = after;
      continue;
    }
    std::size_t count = 0;
    do {
      run[count++] = block;
      block = block->next();
    } while (block != nullptr && count != run.size() && mark_of(block) == mark);
    give_blocks(run.data(), run.data() + count, static_cast<unsigned>(mark % mark_limit));
  }
}

malloc_heap_usage malloc_heap::usage() noexcept {
  malloc_heap_usage out{slab_set::usage(), 0};
  for (unsigned c = 0; c < malloc_class_count; ++c) {
    auto blocks = static_cast<std::size_t>(std::popcount(pools_[c].free_slots));
    if (magazines_ != nullptr && grown_[c] != 0) {
      blocks += static_cast<std::size_t>(magazines_->top[c] - bottom_of(c));
    }
    out.at_hand_bytes += blocks * class_bytes(c);
  }
  return out;
}

}  // namespace mallard::inline v1::detail
