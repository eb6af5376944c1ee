#include "malloc/user_heap.hpp"

#include <algorithm>
#include <new>

#include "malloc/engine.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/slow_path.hpp"

namespace mallard::inline v1::detail {
namespace {

constinit futex_lock list_lock;
constinit user_heap* all = nullptr;

void* take_slab(void*, std::size_t bytes, const slab_rescue& rescue) {
  void* const p = the_pages.supply.take(bytes, false);
  if (p == nullptr) rescue();
  return p;
}

void give_slab(void*, void* p, std::size_t bytes) noexcept {
  checks::forget_blocks(p, bytes);
  the_pages.supply.give(p, bytes);
}

constexpr slab_source supply_source{take_slab, give_slab};

}  // namespace

user_heap::user_heap() noexcept : slab_set(class_layouts.data(), supply_source, this, kept_slabs) {}

// Where a signal handler has interrupted this thread, the locks may be its own. Blocks are mapped
// then, heaps are neither made nor destroyed.
user_heap* user_heap::create() noexcept {
  if (slow_path::is_inside()) return nullptr;
  void* const p = detail::allocate(sizeof(user_heap));
  if (p == nullptr) return nullptr;
  auto* const heap = ::new (p) user_heap;
  const holding hold(list_lock);
  heap->next_ = all;
  if (all != nullptr) all->prev_ = heap;
  all = heap;
  return heap;
}

void user_heap::destroy() noexcept {
  if (slow_path::is_inside()) return;
  {
    const holding hold(list_lock);
    (prev_ == nullptr ? all : prev_->next_) = next_;
    if (next_ != nullptr) next_->prev_ = prev_;
  }
  release(false);
  while (region* const r = huge_) {
    unlink(*r);
    void* const p = reinterpret_cast<std::byte*>(r) + r->huge_offset;
    if (checks::remove_huge_of_heap(p)) the_pages.huge.deallocate(p);
  }
  detail::deallocate(this);
}

user_heap* user_heap::of(void* p, slice_mark mark) noexcept {
  if (mark.kind() == slice_kind::huge_of_user_heap) return region::of_huge(p)->huge_owner;
  const slab_layout& layout = class_layouts[mark.user_heap_size_class()];
  const slab* const home = home_of(p, layout.slab_bytes);
  return static_cast<user_heap*>(home->owner.load(std::memory_order_relaxed));
}

user_heap* heap_of(void* p) noexcept {
  const slice_mark mark = mark_of(p);
  return is_of_user_heap(mark) ? user_heap::of(p, mark) : nullptr;
}

void* allocate_beside(user_heap* heap, std::size_t bytes, std::size_t alignment) noexcept {
  return heap == nullptr ? allocate_aligned(bytes, alignment) : heap->allocate(bytes, alignment);
}

void* user_heap::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  alignment = std::max(alignment, malloc_alignment);
  if (slow_path::is_inside()) return the_pages.huge.allocate(bytes, alignment);
  void* const p = allocate_here(bytes, alignment);
  return p == nullptr && make_room_for(bytes) ? allocate_here(bytes, alignment) : p;
}

void* user_heap::allocate_here(std::size_t bytes, std::size_t alignment) noexcept {
  const std::size_t block = request_with_canary(bytes, alignment);
  const holding hold(lock_);
  return block - 1 < largest_extended_bytes ? allocate_of_class(class_of(block))
                                            : allocate_mapped(bytes, alignment);
}

void* user_heap::allocate_of_class(unsigned size_class) noexcept {
  slab_pool& pool = pools_[size_class];
  const slab_layout& layout = class_layouts[size_class];
  if (pool.free_slots == 0 && !advance(pool, size_class)) {
    if (!grow(pool, size_class)) return nullptr;
    std::byte* const start = start_of(pool.current(layout));
    region::of(start)->set_marks(region::index_of(start), layout.slab_bytes / slice_bytes,
                                 slice_mark::of_user_heap_slab(size_class));
  }
  void* const p = take_slot(pool, layout.block_bytes);
  checks::left_slab(p, size_class);
  checks::allocated(p);
  return p;
}

void* user_heap::allocate_mapped(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > PTRDIFF_MAX) return nullptr;
  void* const p = the_pages.huge.allocate(bytes, alignment);
  if (p == nullptr) return nullptr;
  region& r = *region::of_huge(p);
  region::huge_mark_of(p).store(slice_mark::huge_of_user_heap().word(), std::memory_order_relaxed);
  r.huge_owner = this;
  r.huge_prev = nullptr;
  r.huge_next = huge_;
  if (huge_ != nullptr) huge_->huge_prev = &r;
  huge_ = &r;
  return p;
}

void user_heap::unlink(region& r) noexcept {
  (r.huge_prev == nullptr ? huge_ : r.huge_prev->huge_next) = r.huge_next;
  if (r.huge_next != nullptr) r.huge_next->huge_prev = r.huge_prev;
}

void user_heap::deallocate(void* p, slice_mark mark) noexcept {
  const holding hold(lock_);
  if (mark.kind() == slice_kind::huge_of_user_heap) {
    unlink(*region::of_huge(p));
    return the_pages.huge.deallocate(p);
  }
  const unsigned size_class = mark.user_heap_size_class();
  give(pools_[size_class], class_layouts[size_class], class_steps[size_class], p);
}

bool user_heap::lock_all(bool (*take)(futex_lock&) noexcept) noexcept {
  if (!take(list_lock)) return false;
  for (user_heap* heap = all; heap != nullptr; heap = heap->next_) {
    if (take(heap->lock_)) continue;
    for (user_heap* taken = all; taken != heap; taken = taken->next_) taken->lock_.release();
    list_lock.release();
    return false;
  }
  return true;
}

void user_heap::unlock_all() noexcept {
  for (user_heap* heap = all; heap != nullptr; heap = heap->next_) heap->lock_.release();
  list_lock.release();
}

void user_heap::reset_all() noexcept {
  for (user_heap* heap = all; heap != nullptr; heap = heap->next_) heap->lock_.reset();
  list_lock.reset();
}

}  // namespace mallard::inline v1::detail
