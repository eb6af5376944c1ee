#include "malloc/user_heap.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "malloc/engine.hpp"
#include "malloc/fatal.hpp"
#include "malloc/heap_profile.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/magazine.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/sampling.hpp"
#include "malloc/slow_path.hpp"

namespace mallard::inline v1::detail {
namespace {

constinit futex_lock list_lock;
constinit user_heap* all = nullptr;
constinit user_heap* locked_first = nullptr;  // of all, when a fork took their locks

constinit user_heap* idle_nameless = nullptr;
constinit std::size_t idle_nameless_count = 0;

}  // namespace

void* user_heap::take_slab(void* context, std::size_t bytes, const slab_rescue& rescue) {
  auto& heap = *static_cast<user_heap*>(context);
  // Blocks are counted, not their bytes: so the slabs must be more than one of each common size.
  const bool grows = heap.reserved_bytes_ > 4 * os::huge_page_bytes;
  void* const p = the_pages.supply.take(bytes, {.busy = false, .grows = grows});
  if (p == nullptr) {
    rescue();
  } else {
    heap.reserved_bytes_ += bytes;
  }
  return p;
}

void user_heap::give_slab(void* context, void* p, std::size_t bytes) noexcept {
  static_cast<user_heap*>(context)->reserved_bytes_ -= bytes;
  checks::forget_blocks(p, bytes);
  the_pages.supply.give(p, bytes);
}

user_heap::user_heap(std::size_t number) noexcept
    : slab_set(class_layouts.data(), supply_source, this, kept_slabs),
      number_(number),
      space_(the_pages.supply, account_, slice_mark::of_user_heap_space(number),
             kept_in_space_bytes) {}

// If a signal handler has interrupted this thread, the locks may be its own. Blocks are mapped
// then, and heaps are neither made nor destroyed.
user_heap* user_heap::create() noexcept {
  if (slow_path::is_inside()) return nullptr;
  // It may outlive what a scope allocates.
  const outside_scopes here;
  void* const p = detail::allocate_aligned(sizeof(user_heap), alignof(user_heap));
  if (p == nullptr) return nullptr;
  const std::size_t number = the_heap_numbers.take(p);
  if (number == heap_numbers::none) {
    detail::deallocate(p);
    return nullptr;
  }
  auto* const heap = ::new (p) user_heap(number);
  const holding hold(list_lock);
  heap->next_ = all;
  if (all != nullptr) all->prev_ = heap;
  all = heap;
  return heap;
}

void user_heap::destroy() noexcept {
  if (slow_path::is_inside()) return;
  if (open_scopes_ != 0) fatal("a heap is destroyed while a scope of it is open", this);
  the_profile.forget_all_of(*this);
  {
    const holding hold(list_lock);
    if (locked_first == this) locked_first = next_;
    (prev_ == nullptr ? all : prev_->next_) = next_;
    if (next_ != nullptr) next_->prev_ = prev_;
  }
  release(false);
  space_.release();
  while (region* const r = huge_) {
    unlink(*r);
    void* const p = reinterpret_cast<std::byte*>(r) + r->huge_offset;
    if (checks::remove_huge_of_heap(p)) the_pages.huge.deallocate(p);
  }
  while (open_scope* const scope = closed_) {
    closed_ = scope->outer;
    the_pages.supply.give(scope, scope_bytes);
  }
  the_heap_numbers.give_back(number_);
  detail::deallocate(this);
}

user_heap* heap_of(const void* p) noexcept {
  const slice_mark mark = mark_of(p);
  return mark.is_of_user_heap() ? mark.heap_of_user() : nullptr;
}

void* allocate_beside(user_heap* heap, std::size_t bytes, std::size_t alignment) noexcept {
  const bool is_of_scope = innermost_scope != nullptr && innermost_scope->heap == heap;
  return heap == nullptr || is_of_scope ? allocate_aligned(bytes, alignment)
                                        : heap->allocate(bytes, alignment);
}

// Meanwhile the heap is not done with.
void* user_heap::replace(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  {
    const holding hold(lock_);
    ++leaving_blocks_;
  }
  detail::deallocate(p);
  void* const now = allocate_beside(this, bytes, alignment);
  bool is_last = false;
  {
    const holding hold(lock_);
    --leaving_blocks_;
    is_last = is_last_of_orphan();
  }
  if (is_last && !is_kept_nameless()) destroy();
  return now;
}

void* replace(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  user_heap* const heap = heap_of(p);
  if (heap != nullptr) return heap->replace(p, bytes, alignment);
  detail::deallocate(p);
  return allocate_aligned(bytes, alignment);
}

void* user_heap::allocate(std::size_t bytes, std::size_t alignment) noexcept {
  bytes = std::max<std::size_t>(bytes, 1);
  alignment = std::max(alignment, malloc_alignment);
  const kept_errno keep;
  if (slow_path::is_inside()) return the_pages.huge.allocate(bytes, alignment);
  void* const p = allocate_here(bytes, alignment);
  return p == nullptr && make_room_for(bytes, own_magazines::are_emptied)
             ? allocate_here(bytes, alignment)
             : p;
}

void* user_heap::allocate_here(std::size_t bytes, std::size_t alignment) noexcept {
  const slow_path here;
  const std::size_t counted = sampled_bytes(bytes);
  if (sampling.count(counted) && sampling.take_due(counted).profile) [[unlikely]] {
    if (void* const p = allocate_sample(bytes, alignment)) return p;
  }
  const std::size_t block = request_with_canary(bytes, alignment);
  if (block - 1 >= largest_extended_bytes) return allocate_large(bytes, alignment);
  const holding hold(lock_);
  return allocate_of_class(class_of(block));
}

MALLARD_COLD void* user_heap::allocate_sample(std::size_t bytes, std::size_t alignment) noexcept {
  call_stack from;
  find_call_stack(from);
  void* const p = allocate_large(bytes, alignment);
  if (p != nullptr) the_profile.add(p, bytes, this, from);
  return p;
}

bool user_heap::find_slots(unsigned size_class) noexcept {
  slab_pool& pool = pools_[size_class];
  if (pool.free_slots != 0 || advance(pool, size_class)) return true;
  if (!grow(pool, size_class)) return false;
  const slab_layout& layout = class_layouts[size_class];
  std::byte* const start = start_of(pool.current(layout));
  region::of(start)->set_marks(region::index_of(start), layout.slab_bytes / slice_bytes,
                               slice_mark::of_user_heap_slab(number_, size_class));
  return true;
}

void* user_heap::allocate_of_class(unsigned size_class) noexcept {
  if (!find_slots(size_class)) return nullptr;
  void* const p = take_slot(pools_[size_class], class_layouts[size_class].block_bytes);
  ++slab_blocks_;
  checks::left_slab(p, size_class);
  checks::allocated(p);
  return p;
}

// Tries the one that is meant for the size, then the other, as malloc does.
void* user_heap::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > PTRDIFF_MAX) return nullptr;
  if (the_pages.huge.maps_all() || bytes + alignment >= least_huge_bytes) {
    void* const p = allocate_mapped(bytes, alignment);
    return p != nullptr ? p : allocate_in_space(bytes, alignment);
  }
  void* const p = allocate_in_space(bytes, alignment);
  return p != nullptr ? p : allocate_mapped(bytes, alignment);
}

void* user_heap::allocate_in_space(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment >= region_bytes || bytes + alignment >= region_bytes) return nullptr;
  void* const p = space_.allocate(bytes, alignment);
  if (p != nullptr) checks::allocated(p);
  return p;
}

void* user_heap::allocate_mapped(std::size_t bytes, std::size_t alignment) noexcept {
  void* const p = the_pages.huge.allocate(bytes, alignment);
  if (p != nullptr) link(p, 1);
  return p;
}

// Meanwhile the block is in no list, but it counts: the heap is not empty.
void* user_heap::resize_huge(void* p, std::size_t bytes) noexcept {
  const slow_path here;
  {
    const holding hold(lock_);
    unlink(*region::of_huge(p));
  }
  void* const resized = the_pages.huge.resize(p, bytes);
  link(resized == nullptr ? p : resized, 0);
  return resized;
}

void user_heap::link(void* p, std::size_t more) noexcept {
  region& r = *region::of_huge(p);
  region::huge_mark_of(p).store(slice_mark::huge_of_user_heap(number_).word(),
                                std::memory_order_relaxed);
  const holding hold(lock_);
  r.huge_prev = nullptr;
  r.huge_next = huge_;
  if (huge_ != nullptr) huge_->huge_prev = &r;
  huge_ = &r;
  huge_blocks_ += more;
}

void user_heap::unlink(region& r) noexcept {
  (r.huge_prev == nullptr ? huge_ : r.huge_prev->huge_next) = r.huge_next;
  if (r.huge_next != nullptr) r.huge_next->huge_prev = r.huge_prev;
}

// A large block counts until its thread is on its way out: the heap may go with it.
user_heap* user_heap::deallocate(void* p, slice_mark mark) noexcept {
  bool is_last = false;
  if (mark.kind() == slice_kind::space_of_user_heap) {
    the_profile.freed(p, false);
    {
      const holding hold(lock_);
      ++leaving_blocks_;
    }
    space_.deallocate(p);
    const holding hold(lock_);
    --leaving_blocks_;
    is_last = is_last_of_orphan();
  } else if (mark.is_huge()) {
    the_profile.freed(p, false);
    {
      const holding hold(lock_);
      unlink(*region::of_huge(p));
    }
    the_pages.huge.deallocate(p);
    const holding hold(lock_);
    --huge_blocks_;
    is_last = is_last_of_orphan();
  } else {
    const holding hold(lock_);
    give_one(p, static_cast<unsigned>(mark.size_class()));
    is_last = is_last_of_orphan();
  }
  return is_last && !is_kept_nameless() ? this : nullptr;
}

// Never puts a block directly at hand: the first blocks of the next slab may be as near to those at
// hand, since no header lies between.
void user_heap::give_one(void* p, unsigned size_class) noexcept {
  --slab_blocks_;
  give_back(pools_[size_class], class_layouts[size_class], p);
}

// Requires the lock. Once true, the heap is the caller's. When it became an orphan, the magazines
// of its scopes were emptied, and nobody opens another: so each free takes the same short time.
bool user_heap::is_last_of_orphan() noexcept {
  if (kind_ != kind::orphan || leaving_blocks_ != 0 || slab_blocks_ + huge_blocks_ != 0 ||
      space_.usage().blocks != 0) {
    return false;
  }
  kind_ = kind::nameless;
  return true;
}

std::size_t user_heap::blocks_in_use_locked() noexcept {
  std::size_t blocks = slab_blocks_ + huge_blocks_;
  for (open_scope* scope = closed_; scope != nullptr; scope = scope->outer) {
    blocks -= scope->at_hand_blocks(scope->inside);
  }
  return blocks != 0 ? blocks + space_.usage().blocks : space_.usage().blocks;
}

std::size_t user_heap::blocks_in_use() noexcept {
  const holding hold(lock_);
  return blocks_in_use_locked();
}

user_heap* user_heap::take_nameless() noexcept {
  {
    const holding hold(list_lock);
    if (user_heap* const heap = idle_nameless) {
      idle_nameless = heap->next_nameless_;
      --idle_nameless_count;
      return heap;
    }
  }
  user_heap* const heap = create();
  if (heap != nullptr) heap->kind_ = kind::nameless;
  return heap;
}

bool user_heap::is_kept_nameless() noexcept {
  {
    const holding hold(list_lock);
    if (idle_nameless_count >= most_kept_nameless) return false;
  }
  {
    const holding hold(lock_);
    give_back_beyond(kept_bytes);
  }
  keep_nameless();
  return true;
}

// Keeps a heap without blocks for another scope.
void user_heap::keep_nameless() noexcept {
  const holding hold(list_lock);
  next_nameless_ = idle_nameless;
  idle_nameless = this;
  ++idle_nameless_count;
}

open_scope* user_heap::begin_scope() noexcept {
  const slow_path here;
  open_scope* scope = nullptr;
  {
    const holding hold(lock_);
    ++open_scopes_;
    scope = closed_;
    if (scope != nullptr) closed_ = scope->outer;
  }
  if (scope != nullptr) return scope;
  if (void* const p = the_pages.supply.take(scope_bytes)) return ::new (p) open_scope(*this);
  {
    const holding hold(lock_);
    --open_scopes_;
  }
  if (kind_ == kind::nameless) keep_nameless();
  return nullptr;
}

std::size_t user_heap::end_scope(open_scope& scope) noexcept {
  std::size_t blocks = 0;
  bool is_idle = false;
  {
    const holding hold(lock_);
    scope.outer = closed_;
    closed_ = &scope;
    blocks = blocks_in_use_locked();
    if (--open_scopes_ != 0) return blocks;
    if (blocks != 0 || leaving_blocks_ != 0) {
      // Blocks at hand must not hold the slabs of those that go.
      for (open_scope* s = closed_; s != nullptr; s = s->outer) empty(*s);
      if (kind_ == kind::nameless) kind_ = kind::orphan;
    }
    is_idle = kind_ == kind::nameless;
    give_back_beyond(kind_ == kind::orphan ? 0 : kept_bytes);
  }
  // There are as many as there were scopes open at once, until somebody trims; only some keep
  // slabs.
  if (is_idle && !is_kept_nameless()) {
    trim();
    keep_nameless();
  }
  return blocks;
}

// Requires the lock, that no block is in use, and that no scope is open.
void user_heap::wink_out() noexcept {
  for (open_scope* scope = closed_; scope != nullptr; scope = scope->outer) scope->forget();
  release(false);
  pools_ = {};
  slab_blocks_ = 0;
}

// Requires the lock. Gives back slabs without a block if there are more bytes of slabs than these.
void user_heap::give_back_beyond(std::size_t bytes) noexcept {
  if (reserved_bytes_ <= bytes) return;
  if (open_scopes_ == 0 && blocks_in_use_locked() == 0) return wink_out();
  for (unsigned c = 0; c < malloc_class_count; ++c) trim_pool(pools_[c], c);
  trim_reserve();
}

void user_heap::empty(open_scope& closed) noexcept {
  for (unsigned c = 0; c < malloc_class_count; ++c) {
    if (open_scope::is_new(closed.inside, c)) continue;
    void**& top = closed.inside.top_of(c);
    for (void** const bottom = closed.bottom_of(c); top != bottom; --top) give_one(*top, c);
  }
}

void* user_heap::refill(open_scope& scope, thread_cache& to, unsigned size_class) noexcept {
  const holding hold(lock_);
  if (open_scope::is_new(to, size_class)) scope.start(to, size_class);
  if (!find_slots(size_class)) return nullptr;
  void** const bottom = to.top_of(size_class);
  const std::size_t most = std::max<std::size_t>(magazine_capacities[size_class] / 2u, 1);
  const std::size_t count = fill_from_pool(pools_[size_class], bottom, most, size_class);
  slab_blocks_ += count;
  checks::refilled(bottom + 1, bottom + 1 + count, size_class);
  to.top_of(size_class) = bottom + count - 1;
  return bottom[count];
}

// Gives back the older half: what was freed last is in the processor's caches.
void user_heap::spill(open_scope& scope, thread_cache& from, void* p,
                      unsigned size_class) noexcept {
  const holding hold(lock_);
  if (open_scope::is_new(from, size_class)) scope.start(from, size_class);
  if (from.give(p, magazine_of(size_class))) return;
  void** const bottom = scope.bottom_of(size_class);
  const std::size_t capacity = magazine_capacities[size_class];
  const std::size_t given = capacity - capacity / 2;
  take_out(from.top_of(size_class));
  for (std::size_t i = 1; i <= given; ++i) give_one(bottom[i], size_class);
  std::copy(bottom + 1 + given, bottom + 1 + capacity, bottom + 1);
  note_filled_by_frees(bottom + 1 + capacity - given, bottom + 1 + capacity);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  from.top_of(size_class) = bottom + capacity - given;
  from.give(p, magazine_of(size_class));
}

bool user_heap::trim() noexcept {
  {
    const holding hold(lock_);
    give_back_beyond(0);
  }
  return space_.trim();
}

bool user_heap::trim_all() noexcept {
  const holding hold(list_lock);
  bool has_any = false;
  for (user_heap* heap = all; heap != nullptr; heap = heap->next_) has_any |= heap->trim();
  return has_any;
}

user_heap::usage_of_all user_heap::usage_of_heaps() noexcept {
  const holding hold(list_lock);
  usage_of_all sum;
  for (user_heap* heap = all; heap != nullptr; heap = heap->next_) {
    const space_usage one = heap->space_.usage();
    sum.spaces.blocks += one.blocks;
    sum.spaces.in_use_bytes += one.in_use_bytes;
    sum.spaces.reserved_bytes += one.reserved_bytes;
    const holding here(heap->lock_);
    heap->for_each_slab(
        [&](const slab& s) { sum.taken_bytes += s.taken() * class_bytes(s.layout_index); });
    for (open_scope* s = heap->closed_; s != nullptr; s = s->outer) {
      for (unsigned c = 0; c < malloc_class_count; ++c) {
        sum.at_hand_bytes += s->at_hand_blocks(s->inside, c) * class_bytes(c);
      }
    }
    for (unsigned c = 0; c < malloc_class_count; ++c) {
      const auto blocks = static_cast<std::size_t>(std::popcount(heap->pools_[c].free_slots));
      sum.at_hand_bytes += blocks * class_bytes(c);
    }
  }
  return sum;
}

// A thread that gives memory of the space back holds the second and takes the third.
futex_lock& user_heap::lock_at(std::size_t i) noexcept {
  return i == 0 ? lock_ : i == 1 ? space_.purge_lock() : space_.lock();
}

bool user_heap::lock_all(bool (*take)(futex_lock&) noexcept) noexcept {
  if (!take(list_lock)) return false;
  for (user_heap* heap = all; heap != nullptr; heap = heap->next_) {
    for (std::size_t i = 0; i < lock_count; ++i) {
      if (take(heap->lock_at(i))) continue;
      while (i-- > 0) heap->lock_at(i).release();
      for (user_heap* taken = all; taken != heap; taken = taken->next_) taken->unlock();
      list_lock.release();
      return false;
    }
  }
  locked_first = all;
  return true;
}

bool user_heap::destroy_idle() noexcept {
  bool has_any = false;
  for (user_heap* heap = nullptr; !slow_path::is_inside(); has_any = true) {
    {
      const holding hold(list_lock);
      heap = idle_nameless;
      if (heap == nullptr) break;
      idle_nameless = heap->next_nameless_;
      --idle_nameless_count;
    }
    heap->destroy();
  }
  return has_any;
}

void user_heap::unlock() noexcept {
  for (std::size_t i = lock_count; i-- > 0;) lock_at(i).release();
}

// Fork handlers may have made heaps in the meantime: they come before, and their locks are other
// threads'.
void user_heap::unlock_all() noexcept {
  for (user_heap* heap = locked_first; heap != nullptr; heap = heap->next_) heap->unlock();
  list_lock.release();
}

void user_heap::reset_all() noexcept {
  for (user_heap* heap = all; heap != nullptr; heap = heap->next_) {
    for (std::size_t i = 0; i < lock_count; ++i) heap->lock_at(i).reset();
  }
  list_lock.reset();
}

void user_heap::forget_scopes_of_other_threads() noexcept {
  for (user_heap* heap = all; heap != nullptr; heap = heap->next_) heap->open_scopes_ = 0;
  for (open_scope* s = innermost_scope; s != nullptr; s = s->outer) ++s->heap->open_scopes_;
}

}  // namespace mallard::inline v1::detail
