#include "malloc/malloc_heap.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "malloc/heap_list.hpp"
#include "malloc/slice_supply.hpp"

namespace mallard::inline v1::detail {

constinit void* const no_slot[1] = {nullptr};
constinit thread_local thread_cache cache = thread_cache::without_heap();

namespace {

void* take_slab(void*, std::size_t bytes, const slab_rescue& rescue) {
  void* const p = the_supply.take(bytes);
  if (p == nullptr) rescue();
  return p;
}

void give_slab(void*, void* p, std::size_t bytes) noexcept {
  the_supply.give(p, bytes);
}

constexpr slab_source supply_source{take_slab, give_slab};

// Empty slabs that a heap keeps, so that it does not ask for a lock whenever one comes and goes.
// Those keep their marks: nobody can hold a block of them.
constexpr std::size_t kept_slabs = 4;

constexpr std::size_t first_capacity = 4;

void** slots_of(std::array<void*, magazine_slots>& slots, unsigned size_class) noexcept {
  return slots.data() + magazine_begin[size_class];
}

}  // namespace

malloc_heap::malloc_heap() noexcept
    : slab_set(class_layouts.data(), supply_source, nullptr, kept_slabs) {
  for (unsigned c = 0; c < class_count; ++c) {
    *slots_of(slots_, c) = nullptr;
    grown_[c] = first_capacity;
  }
}

void malloc_heap::attach(thread_cache& to) noexcept {
  magazines_ = &to;
  for (unsigned c = 0; c < class_count; ++c) {
    to.top[c] = slots_of(slots_, c);
    to.limit[c] = to.top[c] + grown_[c];
  }
  to.heap = this;
  to.heap_name = mark();
}

void malloc_heap::detach(thread_cache& from) noexcept {
  post_all();
  collect();
  for (unsigned c = 0; c < class_count; ++c) {
    for (void** slot = from.top[c]; *slot != nullptr; --slot) give_block(*slot, c);
    grown_[c] = first_capacity;
  }
  post_all();
  from = thread_cache::without_heap();
  magazines_ = nullptr;
  trim();
  for (unsigned c = 0; c < class_count; ++c) rest(c);
}

void malloc_heap::trim() noexcept {
  collect();
  for (unsigned c = 0; c < class_count; ++c) trim_pool(pools_[c], c);
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

bool malloc_heap::adopt_from_idle(unsigned size_class) noexcept {
  if (!the_heaps.have_idle()) return false;
  const holding hold(the_heaps.lock());
  for (malloc_heap* from = the_heaps.first_idle(); from != nullptr; from = from->next_idle) {
    from->collect();
    from->post_all();
    if (!adopt(pools_[size_class], *from, from->pools_[size_class], size_class)) continue;
    mark_current(size_class);
    if (advance(pools_[size_class], size_class)) return true;
  }
  return false;
}

bool malloc_heap::find_slots(unsigned size_class) noexcept {
  slab_pool& pool = pools_[size_class];
  if (pool.free_slots != 0 || advance(pool, size_class)) return true;
  if (adopt_from_idle(size_class)) return true;
  if (!grow(pool, size_class)) return false;
  mark_current(size_class);
  return true;
}

void* malloc_heap::refill(thread_cache& to, unsigned size_class) noexcept {
  collect();
  if (!find_slots(size_class)) return nullptr;
  slab_pool& pool = pools_[size_class];
  const std::size_t block_bytes = class_steps[size_class].block_bytes;
  void** const bottom = to.top[size_class];
  const std::size_t room = static_cast<std::size_t>(to.limit[size_class] - bottom);
  const std::size_t wanted = std::max<std::size_t>(room / 2, 1);
  std::size_t count = 0;
  do {
    while (pool.free_slots != 0 && count < wanted) bottom[++count] = take_slot(pool, block_bytes);
  } while (count < wanted && advance(pool, size_class));
  // The next block is the last slot's: the lowest address.
  std::reverse(bottom + 1, bottom + 1 + count);
  if (grown_[size_class] < magazine_capacity(size_class)) {
    grown_[size_class] = static_cast<std::uint8_t>(grown_[size_class] * 2);
    to.limit[size_class] = bottom + grown_[size_class];
  }
  to.top[size_class] = bottom + count - 1;
  return bottom[count];
}

void malloc_heap::spill(thread_cache& from, void* p, unsigned size_class) noexcept {
  void** const bottom = slots_of(slots_, size_class);
  if (grown_[size_class] < magazine_capacity(size_class)) {
    grown_[size_class] = static_cast<std::uint8_t>(grown_[size_class] * 2);
    from.limit[size_class] = bottom + grown_[size_class];
  } else {
    // The older half: what was freed last is in the processor's caches.
    const std::size_t count = magazine_capacity(size_class);
    for (std::size_t i = 1; i <= count / 2; ++i) give_block(bottom[i], size_class);
    std::memmove(bottom + 1, bottom + 1 + count / 2, (count - count / 2) * sizeof(void*));
    from.top[size_class] = bottom + (count - count / 2);
  }
  *++from.top[size_class] = p;
}

void malloc_heap::give_block(void* p, unsigned size_class) noexcept {
  give(pools_[size_class], size_class, class_layouts[size_class], class_steps[size_class], p);
}

void malloc_heap::post(batch& b) noexcept {
  if (b.first == nullptr) return;
  malloc_heap* const to = b.to;
  to->incoming_.push(b.first, b.last);
  b = {};
  // Who works on an idle heap holds the lock that this would take.
  if (!idle.load(std::memory_order_relaxed) && to->idle.load(std::memory_order_relaxed)) {
    the_heaps.collect_idle(*to);
  }
}

void malloc_heap::post_all() noexcept {
  for (batch& b : batches_) post(b);
}

void malloc_heap::send(void* p, slice_mark mark) noexcept {
  malloc_heap* const to = of_mark(mark);
  batch& b = batches_[address_of(to) / slice_bytes % batch_count];
  if (b.to != to) [[unlikely]] {
    post(b);
    b = {to, nullptr, nullptr, static_cast<std::int32_t>(batch_bytes)};
  }
  auto* const block = ::new (p) remote_block{b.first};
  if (b.first == nullptr) b.last = block;
  b.first = block;
  b.room -= static_cast<std::int32_t>(batch_weight(mark % mark_limit));
  if (b.room <= 0) [[unlikely]] {
    post(b);
  }
}

void malloc_heap::send_alone(void* p, slice_mark mark) noexcept {
  malloc_heap* const to = of_mark(mark);
  auto* const block = ::new (p) remote_block{nullptr};
  to->incoming_.push(block, block);
  if (to->idle.load(std::memory_order_relaxed)) the_heaps.collect_idle(*to);
}

void malloc_heap::collect_all() noexcept {
  remote_block* block = incoming_.take_all();
  while (block != nullptr) {
    remote_block* const after = block->next;
    // The slab may have changed hands while the block was under way.
    const slice_mark at = mark_of(block);
    if (of_mark(at) == this) {
      give_block(block, static_cast<unsigned>(at % mark_limit));
    } else {
      send(block, at);
    }
    block = after;
  }
}

malloc_heap_usage malloc_heap::usage() const noexcept {
  malloc_heap_usage out{slab_set::usage(), 0};
  for (unsigned c = 0; c < class_count; ++c) {
    auto blocks = static_cast<std::size_t>(std::popcount(pools_[c].free_slots));
    if (magazines_ != nullptr) {
      blocks += static_cast<std::size_t>(magazines_->top[c] - (slots_.data() + magazine_begin[c]));
    }
    out.at_hand_bytes += blocks * class_bytes(c);
  }
  return out;
}

}  // namespace mallard::inline v1::detail
