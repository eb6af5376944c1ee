#include "malloc/engine.hpp"

#include <algorithm>
#include <cstring>

#include "malloc/background.hpp"
#include "malloc/fatal.hpp"
#include "malloc/guarded_blocks.hpp"
#include "malloc/heap_profile.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/malloc_heaps.hpp"
#include "malloc/malloc_pages.hpp"
#include "malloc/profiling.hpp"
#include "malloc/scope.hpp"
#include "malloc/slow_path.hpp"
#include "malloc/thread_exit.hpp"
#include "malloc/user_heap.hpp"
#include "pages/purging.hpp"

namespace mallard::inline v1::detail {
namespace {

// Null without memory for one, for a thread that has ended for good, and in a scope.
malloc_heap* heap_of_thread() noexcept {
  if (cache.heap != nullptr) return cache.heap;
  if (innermost_scope != nullptr) return nullptr;
  malloc_heap* const heap = may_begin_thread() ? the_heaps.begin_thread(cache) : nullptr;
  if (heap != nullptr) end_heap_with_thread();
  return heap;
}

// Whether this call can be served without a heap of the thread's own.
bool does_without_heap() noexcept {
  if (cache.heap != nullptr) return false;
  if (!may_begin_thread()) return true;
  if (cache.calls_without_heap == 0) return false;
  // From now on the end of the thread is noticed.
  if (cache.calls_without_heap == most_calls_without_heap) end_heap_with_thread();
  --cache.calls_without_heap;
  return true;
}

// The space that a thread uses; threads that began one after the other use different ones.
slice_mark space_of_thread() noexcept {
  const malloc_heap* const heap = heap_of_thread();
  return slice_mark::of_space(address_of(heap) / heap_bytes % space_count);
}

// Another one, so that no sample lies where a large block would grow.
slice_mark space_of_samples() noexcept {
  return slice_mark::of_space((space_of_thread().space_index() + 1) % space_count);
}

void* allocate_in_space(slice_mark mark, std::size_t bytes, std::size_t alignment,
                        bool* is_zero) noexcept {
  if (alignment >= region_bytes || bytes + alignment >= region_bytes) return nullptr;
  void* const p = the_pages.space_of(mark).allocate(bytes, alignment, is_zero);
  if (p != nullptr) checks::allocated(p);
  return p;
}

// If addresses are limited, takes free memory of the space, then a mapping of the block's own size.
// More memory for the space would be a part of a region, whose header is as large as a small block.
MALLARD_COLD void* allocate_confined(std::size_t bytes, std::size_t alignment,
                                     bool* is_zero) noexcept {
  if (bytes < slice_supply::word_bytes || alignment >= region_bytes) return nullptr;
  const slice_mark mark = space_of_thread();
  void* const p = the_pages.space_of(mark).allocate_of_free(bytes, alignment, is_zero);
  if (p == nullptr) return the_pages.huge.allocate(bytes, alignment);
  checks::allocated(p);
  return p;
}

// Tries the one that is meant for the size, then the other.
void* allocate_mapped_or_not(std::size_t bytes, std::size_t alignment, bool* is_zero) noexcept {
  if (the_pages.huge.maps_all() || bytes + alignment >= least_huge_bytes) {
    void* const p = the_pages.huge.allocate(bytes, alignment);
    if (p != nullptr || !the_pages.huge.leaves_mappings()) return p;
    return allocate_in_space(space_of_thread(), bytes, alignment, is_zero);
  }
  if (the_pages.supply.is_confined()) {
    if (void* const p = allocate_confined(bytes, alignment, is_zero)) return p;
  }
  void* const p = allocate_in_space(space_of_thread(), bytes, alignment, is_zero);
  return p != nullptr ? p : the_pages.huge.allocate(bytes, alignment);
}

// Puts blocks that this thread has at hand where others find them, and gives free slices back to
// the system with their addresses. `pages`: also pages between blocks in use, which are of no use
// to a request that was refused: it needs addresses, or what counts as taken. Returns whether there
// was any.
MALLARD_COLD bool give_all_back(bool pages,
                                own_magazines own = own_magazines::are_emptied) noexcept {
  const std::size_t used_bytes = the_pages.supply.usage().in_use_bytes;
  if (malloc_heap* const heap = cache.heap; heap != nullptr && own == own_magazines::are_emptied) {
    heap->detach(cache);
    heap->attach(cache);
  }
  bool has_any = the_heaps.trim(pages) != 0;
  has_any |= user_heap::trim_all();
  has_any |= the_pages.trim();
  // The supply may already have given back what it got here.
  return has_any || the_pages.supply.usage().in_use_bytes < used_bytes;
}

// Called before a request is refused. Under a limit it is tried again in any case: the spaces and
// the try itself may have given memory back that nobody counts here.
MALLARD_COLD bool make_room(std::size_t bytes,
                            own_magazines own = own_magazines::are_emptied) noexcept {
  const std::size_t addresses = the_pages.budget.look_at_addresses();
  the_pages.supply.note_addresses(addresses);
  const std::size_t in_use = the_pages.budget.in_use();
  const bool could_be_there =
      the_pages.budget.is_set() || bytes <= the_pages.supply.usage().regions * region_bytes ||
      (addresses != SIZE_MAX && in_use < addresses && bytes < addresses - in_use);
  if (!could_be_there) return false;
  const bool has_memory = give_all_back(false, own);
  return the_pages.supply.cut_regions() || has_memory || the_pages.budget.is_set();
}

// Returns what `take` returns, and calls it once more if room can be made.
template <class Take>
void* take_or_make_room(std::size_t bytes, Take&& take) noexcept {
  if (void* const p = take()) [[likely]] {
    return p;
  }
  return make_room(bytes) ? take() : nullptr;
}

// For a block that was counted and has no size class, or is resized.
MALLARD_COLD void note_large(void* p, std::size_t bytes) noexcept {
  if (!sampling.take_due(bytes).profile) return;
  call_stack from;
  find_call_stack(from);
  the_profile.add(p, bytes, heap_of(p), from);
  if (!slow_path::is_inside()) write_profile_if_due();
}

// `is_zero` is set for a block of a space: whether it is zero, except for its first two words and
// its last. Out of line, so that `allocate_slow` saves no registers for it.
[[gnu::noinline]] void* allocate_large(std::size_t bytes, std::size_t alignment,
                                       bool* is_zero = nullptr) noexcept {
  if (bytes > PTRDIFF_MAX) return nullptr;
  const kept_errno keep;
  void* p = nullptr;
  {
    const slow_path here;
    if (here.nested()) return the_pages.huge.allocate(bytes, alignment);
    p = take_or_make_room(bytes, [=] {
      return innermost_scope == nullptr ? allocate_mapped_or_not(bytes, alignment, is_zero)
                                        : innermost_scope->heap->allocate_large(bytes, alignment);
    });
  }
  if (p != nullptr && sampling.count(bytes)) [[unlikely]] {
    note_large(p, bytes);
  }
  return p;
}

std::size_t class_bytes_of(slice_mark mark) noexcept {
  return class_steps[mark.size_class()].block_bytes - canary_bytes;
}

bool shrinks_little(std::size_t bytes, std::size_t have) noexcept {
  return bytes <= have && bytes >= have / 2;
}

// One that has a class by now stays if it loses little. A sample that grows goes to its class.
bool may_stay_outside_slabs(std::size_t bytes, std::size_t have) noexcept {
  return bytes > largest_extended_request || shrinks_little(bytes, have);
}

// Whether the block may stay where it is with the new size.
bool resize_in_place(void* p, slice_mark mark, std::size_t bytes) noexcept {
  if (mark.is_in_slab()) {
    const std::size_t have = class_bytes_of(mark);
    if constexpr (checks::keeps_classes) {
      return bytes <= have && any_class_of(bytes) == mark.size_class();
    }
    return shrinks_little(bytes, have);
  }
  const slow_path here;
  if (here.nested() || !mark.is_in_space()) return false;
  if (!may_stay_outside_slabs(bytes, large_space::payload_bytes(p))) return false;
  large_space& space =
      mark.is_of_user_heap() ? mark.heap_of_user()->space() : the_pages.space_of(mark);
  if (!space.resize(p, bytes)) return false;
  the_profile.freed(p, false);
  if (sampling.count(bytes)) [[unlikely]] {
    note_large(p, bytes);
  }
  return true;
}

// Whether a block with a mapping of its own keeps one. Where all large blocks have mappings,
// another block would only get another one; unless a scope takes it in.
bool resizes_mapping(const void* p, slice_mark mark, std::size_t bytes) noexcept {
  if (!mark.is_huge() || is_behind_unused(p, bytes)) return false;
  if (bytes >= least_huge_bytes / 2) return true;
  return checks::most_mapped_large_blocks != 0 &&
         may_stay_outside_slabs(bytes, huge_payload_bytes(p)) &&
         (innermost_scope == nullptr || mark.is_of_user_heap());
}

// In the profile one block goes and another comes. It must go first: somebody else may get its
// addresses. `resize` returns null with nothing changed, or where the block is now.
template <class Resize>
void* resize_sampled(const slow_path& here, void* p, std::size_t bytes, Resize&& resize) noexcept {
  const sampled_block before = the_profile.take(p, here.nested());
  void* const resized = resize();
  if (here.nested()) return resized;
  if (resized == nullptr) {
    the_profile.put(before);
  } else if (sampling.count(bytes)) [[unlikely]] {
    note_large(resized, bytes);
  }
  return resized;
}

void* resize_huge(void* p, slice_mark mark, std::size_t bytes) noexcept {
  const slow_path here;
  return resize_sampled(here, p, bytes, [=] {
    return mark.is_of_user_heap() ? mark.heap_of_user()->resize_huge(p, bytes)
                                  : the_pages.huge.resize(p, bytes);
  });
}

bool is_zero_page(const std::byte* page) noexcept {
  std::uint64_t first = 0;
  std::memcpy(&first, page, sizeof first);
  return first == 0 && std::memcmp(page, page + sizeof first, os::page_bytes - sizeof first) == 0;
}

// In a large block, zeros are not written where there are zeros: what nobody has touched takes no
// memory there either.
void copy_contents(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes <= largest_extended_request) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::size_t done = std::min(bytes, round_up(address_of(to) + 1, os::page_bytes) - address_of(to));
  std::memcpy(to, from, done);
  for (; bytes - done > os::page_bytes; done += os::page_bytes) {
    if (is_zero_page(from + done) && is_zero_page(to + done)) continue;
    std::memcpy(to + done, from + done, os::page_bytes);
  }
  std::memcpy(to + done, from + done, bytes - done);
}

// A block of a space that has to move as it grows gets a mapping of its own if a copy would take
// long, into one that is kept if any fits: its pages are there already, also those that the block
// will need. Null when it gets none, or the system refuses.
void* grow_by_mapping(void* p, slice_mark mark, std::size_t bytes, std::size_t have) noexcept {
  if (checks::most_mapped_large_blocks != 0 || mark.kind() != slice_kind::space) return nullptr;
  const bool takes_long = bytes > have && have >= least_huge_bytes / 2;
  if (!takes_long || innermost_scope != nullptr || !the_pages.huge.are_few()) return nullptr;
  const slow_path here;
  if (here.nested()) return nullptr;
  return resize_sampled(here, p, bytes, [=] {
    large_space& space = the_pages.space_of(mark);
    void* now = the_pages.huge.allocate(bytes, malloc_alignment, true);
    if (now != nullptr) {
      copy_contents(static_cast<std::byte*>(now), static_cast<std::byte*>(p), have);
      space.deallocate(p);
    } else if ((now = the_pages.huge.take_over(p, have, bytes)) != nullptr) {
      space.deallocate(p, os::page_size());
    }
    return now;
  });
}

// When there is no memory for a smaller block, the old one has to do.
void* shrink_where_it_is(void* p, slice_mark mark, std::size_t bytes) noexcept {
  if (mark.is_huge()) return resize_huge(p, mark, bytes);
  checks::kept_larger();
  return p;
}

MALLARD_COLD void* take_without_heap(std::size_t bytes, unsigned size_class) noexcept {
  if (open_scope* const scope = innermost_scope) {
    return scope->heap->refill(*scope, cache, size_class);
  }
  void* const p = does_without_heap() ? the_heaps.take_common(bytes, !may_begin_thread()) : nullptr;
  if (p != nullptr) return p;
  if (malloc_heap* const heap = heap_of_thread()) return heap->refill(cache, size_class);
  // There is no memory for a heap, or there are as many as can be.
  return the_heaps.take_common(bytes, true);
}

void* take_from_heap(std::size_t bytes, unsigned size_class, bool ahead) noexcept {
  malloc_heap* const heap = cache.heap;
  return heap != nullptr ? heap->refill(cache, size_class, ahead)
                         : take_without_heap(bytes, size_class);
}

// The thread's own magazines are those outside of the scope.
MALLARD_COLD void deallocate_in_scope(void* p, slice_mark mark) noexcept {
  thread_cache& own = own_cache();
  if (own.heap == nullptr) return malloc_heap::send_alone(p, mark);
  if (mark.heap() != own.heap) return own.heap->send(p, mark);
  if (!own.give(p, mark.magazine())) own.heap->spill(own, p, mark.size_class());
}

void deallocate_in_user_heap(void* p, slice_mark mark) noexcept {
  user_heap* const heap = mark.heap_of_user();
  user_heap* unneeded = nullptr;
  {
    const slow_path here;
    if (here.nested()) return;
    open_scope* const scope = innermost_scope;
    if (mark.is_in_slab() && scope != nullptr && scope->heap == heap) {
      return heap->spill(*scope, cache, p, static_cast<unsigned>(mark.size_class()));
    }
    unneeded = heap->deallocate(p, mark);
  }
  if (unneeded != nullptr) unneeded->destroy();
}

[[gnu::noinline]] void* allocate_from_heap(std::size_t bytes, unsigned size_class,
                                           bool ahead = false) noexcept {
  const kept_errno keep;
  const slow_path here;
  if (here.nested()) return the_pages.huge.allocate(bytes, malloc_alignment);
  void* const p =
      take_or_make_room(bytes, [=] { return take_from_heap(bytes, size_class, ahead); });
  if (p != nullptr) checks::allocated(p);
  return p;
}

// Where all large blocks have mappings, as in the hardened build, a sample has one, too: nothing
// checks what is written behind a block of a space.
void* allocate_unguarded_sample(std::size_t bytes, std::size_t alignment) noexcept {
  if (the_pages.huge.maps_all()) {
    if (void* const p = the_pages.huge.allocate(bytes, alignment)) return p;
  }
  return allocate_in_space(space_of_samples(), bytes, alignment, nullptr);
}

// A sample lies among the blocks without a size class, or is guarded. It is aligned as a block of
// its class would be. Null when there is no memory there.
void* allocate_sample(std::size_t bytes, sample_counter::due due) noexcept {
  const slow_path here;
  if (here.nested()) return nullptr;
  call_stack from;
  find_call_stack(from);
  const std::size_t class_of_it = class_bytes(any_class_of(bytes));
  const std::size_t alignment = class_of_it & (~class_of_it + 1);
  user_heap* const heap = innermost_scope == nullptr ? nullptr : innermost_scope->heap;
  void* p = due.guard && heap == nullptr ? the_guarded.allocate(bytes, alignment, from) : nullptr;
  if (!due.profile) return p;
  const std::size_t at_least_one = std::max<std::size_t>(bytes, 1);
  if (p == nullptr) {
    p = heap == nullptr ? allocate_unguarded_sample(at_least_one, alignment)
                        : heap->allocate_large(at_least_one, alignment);
  }
  if (p != nullptr) the_profile.add(p, bytes, heap, from);
  return p;
}

void* allocate_unsampled(std::size_t bytes, unsigned size_class) noexcept {
  if (void* const p = cache.take(magazine_of(size_class))) [[likely]] {
    checks::taken(p);
    return p;
  }
  return allocate_from_heap(bytes, size_class);
}

// Null when it is no sample after all, or there is no memory for one.
MALLARD_COLD void* allocate_due(std::size_t bytes, sample_counter& counter,
                                std::size_t counted) noexcept {
  const sample_counter::due due = counter.take_due(counted);
  if (!due.profile && !due.guard) return nullptr;
  const kept_errno keep;
  void* const p = allocate_sample(bytes, due);
  if (!slow_path::is_inside()) write_profile_if_due();
  return p;
}

// A portion is empty, or the class has none. Out of line, so that `allocate_slow` saves no
// registers for it.
[[gnu::noinline]] void* allocate_counted(std::size_t bytes) noexcept {
  const unsigned size_class = any_class_of(bytes);
  const std::size_t counted = block_bytes_of(size_class);
  const bool has_portions =
      size_class < classes_with_portions && are_portions_named() && !slow_path::is_inside();
  malloc_heap* const heap = has_portions ? cache.heap : nullptr;
  sample_counter& counter = heap == nullptr ? sampling : heap->sampled(size_class);
  if (counter.count(counted)) [[unlikely]] {
    if (void* const p = allocate_due(bytes, counter, counted)) return p;
  }
  if (heap == nullptr) return allocate_unsampled(bytes, size_class);
  if (heap->has_few(cache, size_class)) {
    if (void* const p = allocate_from_heap(bytes, size_class, true)) return p;
  }
  void* const p = allocate_unsampled(bytes, size_class);
  heap->fill_portion(cache, size_class);
  return p;
}

// A thread that uses only large blocks never gets to where heaps give back idle memory.
void look_around(const slow_path& here) noexcept {
  if (!background_looks(false) && !here.nested()) the_heaps.trim_quiet();
}

// A block that was at hand may have been used before.
void* allocate_zeroed_of_large_class(std::size_t bytes) noexcept {
  const unsigned size_class = any_class_of(bytes);
  const bool is_at_hand = *cache.top_of(size_class) != nullptr;
  void* const p = allocate_slow(bytes);
  if (p == nullptr) return nullptr;
  const slice_mark mark = mark_of(p);
  const bool is_mine = mark.is_slab() && mark.heap() == cache.heap;
  if (!is_at_hand && is_mine && mark.heap()->is_first_use(p, size_class)) return p;
  return std::memset(p, 0, bytes);
}

}  // namespace

// GCC forgets the model here unless it is repeated.
[[gnu::tls_model("initial-exec")]] constinit thread_local thread_progress progress{};

void* allocate_slow(std::size_t bytes) noexcept {
  if (bytes > largest_extended_request) return allocate_large(bytes, malloc_alignment);
  if (sampling_period.load(std::memory_order_relaxed) != 0) [[unlikely]] {  // any was ever wanted
    return allocate_counted(bytes);
  }
  return allocate_unsampled(bytes, any_class_of(bytes));
}

// A remote block that may stay with the thread that frees it does, if there is room, and is the
// first to be used again. Others go back to their heap: their cache lines may have blocks that the
// other thread uses. A signal handler that interrupts malloc sends none: sending takes locks.
void deallocate_elsewhere(void* p, slice_mark mark) noexcept {
  if (!mark.is_slab()) return deallocate_slow(p);
  malloc_heap* const home = mark.heap();
  malloc_heap::batch& batch = cache.batches->of(home);
  if (batch.to != home) [[unlikely]] {
    const bool sends = cache.heap != nullptr && cache.heap != home && !slow_path::is_inside();
    return sends ? cache.heap->send(p, mark) : deallocate_slow(p);
  }
  if (!batch.add(p, mark.size_class()) && !slow_path::is_inside()) [[unlikely]] {
    cache.heap->post(cache.batches->of(home));
  }
}

void deallocate_slow(void* p) noexcept {
  if (p == nullptr) return;
  const kept_errno keep;
  const slice_mark mark = mark_of(p);
  if (mark.is_of_user_heap()) return deallocate_in_user_heap(p, mark);
  const slow_path here;
  if (here.nested() && mark.kind() != slice_kind::huge && mark.kind() != slice_kind::none) return;
  if (mark.is_slab()) {
    malloc_heap* const heap = does_without_heap() ? nullptr : heap_of_thread();
    if (heap == nullptr) {
      return innermost_scope == nullptr ? malloc_heap::send_alone(p, mark)
                                        : deallocate_in_scope(p, mark);
    }
    if (mark.heap() != heap) return heap->send(p, mark);
    if (!cache.give(p, mark.magazine())) heap->spill(cache, p, mark.size_class());
    return;
  }
  switch (mark.kind()) {
    case slice_kind::space:
      the_profile.freed(p, here.nested());
      the_pages.space_of(mark).deallocate(p);
      return look_around(here);
    case slice_kind::huge:
      the_profile.freed(p, here.nested());
      the_pages.huge.deallocate(p);
      return look_around(here);
    case slice_kind::guarded:
      the_profile.freed(p, here.nested());
      return the_guarded.deallocate(p);
    case slice_kind::slab_of_user_heap:
    case slice_kind::space_of_user_heap:
    case slice_kind::huge_of_user_heap:
    case slice_kind::slab:
    case slice_kind::none:
      break;
  }
  fatal("free of an address where no block begins", p);
}

void* allocate_aligned_slow(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= malloc_alignment) return allocate(bytes);
  if (bytes == 0) return allocate_aligned(1, alignment);
  const std::size_t block = request_with_canary(bytes, alignment);
  if (block - 1 < largest_extended_bytes) return allocate(block - canary_bytes);
  return allocate_large(bytes, alignment);
}

void* allocate_zeroed_slow(std::size_t bytes) noexcept {
  if (bytes <= largest_class_request) {
    void* const p = allocate(bytes);
    return p == nullptr ? nullptr : std::memset(p, 0, bytes);
  }
  if (bytes <= largest_extended_request) return allocate_zeroed_of_large_class(bytes);
  bool is_zero = false;
  void* const p = allocate_large(bytes, malloc_alignment, &is_zero);
  if (p == nullptr || is_fresh_huge(p)) return p;
  if (is_zero) {
    large_space::clear_ends(p);
  } else if (mark_of(p).is_huge()) {
    // It was kept, and nobody knows which of its pages were ever touched.
    purge_to_zero(p, bytes);
  } else {
    std::memset(p, 0, bytes);
  }
  return p;
}

std::size_t usable_bytes(const void* p) noexcept {
  checks::in_use(p);
  const slice_mark mark = mark_of(p);
  switch (mark.kind()) {
    case slice_kind::slab:
    case slice_kind::slab_of_user_heap:
      return class_bytes_of(mark);
    case slice_kind::space:
    case slice_kind::space_of_user_heap:
      return large_space::payload_bytes(const_cast<void*>(p));
    case slice_kind::huge:
    case slice_kind::huge_of_user_heap:
      return huge_payload_bytes(p);
    case slice_kind::guarded:
      return the_guarded.bytes_of(p);
    case slice_kind::none:
      break;
  }
  fatal("size of an address where no block begins", p);
}

void* copied(void* to, void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
  deallocate(from);
  return to;
}

void* freed_elsewhere(void* to, void* from, slice_mark mark) noexcept {
  deallocate_elsewhere(from, mark);
  return to;
}

bool resize_in_place(void* p, std::size_t bytes) noexcept {
  checks::in_use(p);
  const kept_errno keep;
  const slice_mark mark = mark_of(p);
  if (mark.is_huge()) return !checks::keeps_classes && shrinks_little(bytes, huge_payload_bytes(p));
  return bytes <= PTRDIFF_MAX && resize_in_place(p, mark, bytes);
}

void* reallocate_slow(void* p, std::size_t bytes) noexcept {
  checks::in_use(p);
  if (bytes > PTRDIFF_MAX) return nullptr;
  const kept_errno keep;
  const slice_mark mark = mark_of(p);
  if (resizes_mapping(p, mark, bytes)) {
    if (void* const resized = resize_huge(p, mark, bytes)) return resized;
  }
  const std::size_t have = usable_bytes(p);
  if (resize_in_place(p, mark, bytes)) return p;
  if (void* const grown = grow_by_mapping(p, mark, bytes, have)) return grown;
  void* const moved = allocate_beside(heap_of(p), bytes, malloc_alignment);
  if (moved == nullptr) return bytes <= have ? shrink_where_it_is(p, mark, bytes) : nullptr;
  copy_contents(static_cast<std::byte*>(moved), static_cast<std::byte*>(p), std::min(have, bytes));
  deallocate(p);
  return moved;
}

bool trim() noexcept {
  const kept_errno keep;
  const bool has_destroyed = user_heap::destroy_idle();
  const slow_path here;
  return (!here.nested() && give_all_back(true)) || has_destroyed;
}

bool make_room_for(std::size_t bytes, own_magazines own) noexcept {
  const slow_path here;
  return !here.nested() && make_room(bytes, own);
}

}  // namespace mallard::inline v1::detail
