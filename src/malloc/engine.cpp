#include "malloc/engine.hpp"

#include <algorithm>
#include <cstring>

#include "malloc/fatal.hpp"
#include "malloc/heap_list.hpp"
#include "malloc/huge_block.hpp"
#include "malloc/huge_cache.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/large_space.hpp"
#include "malloc/slice_supply.hpp"
#include "malloc/slow_path.hpp"
#include "malloc/thread_exit.hpp"
#include "malloc/user_heap.hpp"

namespace mallard::inline v1::detail {
namespace {

// Null when there is no memory for one, and for a thread that has ended for good.
malloc_heap* heap_of_thread() noexcept {
  if (cache.heap != nullptr) return cache.heap;
  return may_begin_thread() ? the_heaps.begin_thread() : nullptr;
}

// Whether this call can be served without a heap of the thread's own.
bool does_without_heap() noexcept {
  if (cache.heap != nullptr) return false;
  if (!may_begin_thread()) return true;
  if (cache.calls_without_heap == 0) return false;
  // From now on it is known when the thread has ended.
  if (cache.calls_without_heap == most_calls_without_heap) end_heap_with_thread();
  --cache.calls_without_heap;
  return true;
}

// Which space a thread uses: threads that began one after the other use different ones.
slice_mark space_of_thread() noexcept {
  const malloc_heap* const heap = heap_of_thread();
  return first_space_mark + address_of(heap) / heap_bytes % space_count;
}

void* allocate_in_space(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment >= region_bytes || bytes + alignment >= region_bytes) return nullptr;
  const slice_mark mark = space_of_thread();
  void* const p = space_of_mark(mark).allocate(bytes, alignment, mark);
  if (p != nullptr) checks::allocated(p);
  return p;
}

// Whichever of the two is meant for the size, then the other.
void* allocate_mapped_or_not(std::size_t bytes, std::size_t alignment) noexcept {
  const bool maps_all = huge_usage().blocks < checks::most_mapped_large_blocks;
  if (maps_all || bytes + alignment >= least_huge_bytes) {
    void* const p = allocate_huge(bytes, alignment);
    return p != nullptr ? p : allocate_in_space(bytes, alignment);
  }
  void* const p = allocate_in_space(bytes, alignment);
  return p != nullptr ? p : allocate_huge(bytes, alignment);
}

// Before a request is refused: what this thread has at hand goes to where others find it, and free
// slices to the system with their addresses. Returns whether there was any.
MALLARD_COLD bool make_room() noexcept {
  const std::size_t used_bytes = the_supply.usage().in_use_bytes;
  if (malloc_heap* const heap = cache.heap) {
    heap->detach(cache);
    heap->attach(cache);
  }
  const std::size_t page_bytes = the_heaps.trim();
  for (large_space& space : the_spaces) space.trim();
  const bool has_unmapped = the_huge_cache.trim() != 0;
  const bool has_trimmed = the_supply.trim() != 0 || has_unmapped;
  // The supply may have given back at once what it got here.
  return page_bytes != 0 || has_trimmed || the_supply.usage().in_use_bytes < used_bytes;
}

void* allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
  if (bytes > PTRDIFF_MAX) return nullptr;
  const slow_path here;
  if (here.nested()) return allocate_huge(bytes, alignment);
  void* const p = allocate_mapped_or_not(bytes, alignment);
  const bool could_be_there = p == nullptr && bytes <= the_supply.usage().regions * region_bytes;
  return could_be_there && make_room() ? allocate_mapped_or_not(bytes, alignment) : p;
}

bool is_of_slab(slice_mark mark) noexcept {
  return mark >= mark_limit;
}

std::size_t class_bytes_of(slice_mark mark) noexcept {
  return class_steps[mark % mark_limit].block_bytes - canary_bytes;
}

std::size_t user_class_bytes_of(slice_mark mark) noexcept {
  return class_steps[user_class_of(mark)].block_bytes - canary_bytes;
}

bool is_of_space(slice_mark mark) noexcept {
  return mark - first_space_mark < space_count;
}

// Whether the block may stay where it is with the new size.
bool resize_in_place(void* p, slice_mark mark, std::size_t bytes) noexcept {
  if (is_of_slab(mark)) {
    const std::size_t have = class_bytes_of(mark);
    if constexpr (checks::keeps_classes) {
      return bytes <= have && any_class_of(bytes) == mark % mark_limit;
    }
    return bytes <= have && bytes >= have / 2;
  }
  if (is_of_user_slab(mark)) {
    const std::size_t have = user_class_bytes_of(mark);
    return bytes <= have && bytes >= have / 2 && !checks::keeps_classes;
  }
  const slow_path here;
  if (here.nested() || bytes <= largest_extended_request || !is_of_space(mark)) return false;
  return space_of_mark(mark).resize(p, bytes);
}

// When there is no memory for a smaller block, the old one has to do.
void* shrink_where_it_is(void* p, slice_mark mark, std::size_t bytes) noexcept {
  if (mark == huge_mark) return resize_huge(p, bytes);
  checks::kept_larger();
  return p;
}

[[gnu::noinline]] void* allocate_from_heap(std::size_t bytes, unsigned size_class) noexcept {
  const slow_path here;
  if (here.nested()) return allocate_huge(bytes, malloc_alignment);
  void* p = does_without_heap() ? the_heaps.take_common(bytes) : nullptr;
  if (p == nullptr) {
    malloc_heap* const heap = heap_of_thread();
    if (heap == nullptr) return nullptr;
    p = heap->refill(cache, size_class);
    if (p == nullptr && make_room()) p = heap->refill(cache, size_class);
    if (p == nullptr) return nullptr;
  }
  checks::allocated(p);
  return p;
}

}  // namespace

// GCC forgets the model here if it is not said again.
[[gnu::tls_model("initial-exec")]] constinit thread_local thread_progress progress{};

void* allocate_slow(std::size_t bytes) noexcept {
  if (bytes > largest_extended_request) return allocate_large(bytes, malloc_alignment);
  const unsigned size_class = any_class_of(bytes);
  if (void* const p = cache.take(size_class)) [[likely]] {
    checks::taken(p);
    return p;
  }
  return allocate_from_heap(bytes, size_class);
}

void deallocate_elsewhere(void* p, std::uintptr_t difference) noexcept {
  const slice_mark mark = difference ^ cache.heap_name;
  if (is_of_slab(mark) && cache.heap != nullptr) [[likely]] {
    // Another heap's block is as good as an own one, and the first to be used again. Only small
    // ones have to go home: they may share a cache line with blocks that the other thread uses.
    const std::uintptr_t size_class = mark % mark_limit;
    if (size_class >= first_shared_class && cache.give(p, size_class)) return;
    return cache.heap->send(p, mark);
  }
  deallocate_slow(p);
}

void deallocate_slow(void* p) noexcept {
  if (p == nullptr) return;
  const kept_errno keep;
  const slow_path here;
  const slice_mark mark = mark_of(p);
  if (here.nested() && mark > huge_mark) return;
  if (is_of_slab(mark)) {
    malloc_heap* const heap = does_without_heap() ? nullptr : heap_of_thread();
    if (heap == nullptr) return malloc_heap::send_alone(p, mark);
    if (malloc_heap::of_mark(mark) != heap) return heap->send(p, mark);
    if (!cache.give(p, mark % mark_limit))
      heap->spill(cache, p, static_cast<unsigned>(mark % mark_limit));
    return;
  }
  if (is_of_space(mark)) return space_of_mark(mark).deallocate(p);
  if (mark == huge_mark) return deallocate_huge(p);
  if (is_of_user_heap(mark)) return user_heap::of(p, mark)->deallocate(p, mark);
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
  void* const p = allocate(bytes);
  if (p == nullptr || (bytes > largest_extended_request && is_fresh_huge(p))) return p;
  return std::memset(p, 0, bytes);
}

std::size_t usable_bytes(const void* p) noexcept {
  checks::in_use(p);
  const slice_mark mark = mark_of(p);
  if (is_of_slab(mark)) return class_bytes_of(mark);
  if (is_of_space(mark)) return large_space::payload_bytes(const_cast<void*>(p));
  if (mark == huge_mark || mark == huge_user_mark) return huge_payload_bytes(p);
  if (is_of_user_slab(mark)) return user_class_bytes_of(mark);
  fatal("size of an address where no block begins", p);
}

void* reallocate_slow(void* p, std::size_t bytes) noexcept {
  checks::in_use(p);
  if (bytes > PTRDIFF_MAX) return nullptr;
  const slice_mark mark = mark_of(p);
  if (mark == huge_mark && bytes >= least_huge_bytes / 2) {
    if (void* const resized = resize_huge(p, bytes)) return resized;
  }
  const std::size_t have = usable_bytes(p);
  if (resize_in_place(p, mark, bytes)) return p;
  void* const moved = allocate_beside(heap_of(p), bytes, malloc_alignment);
  if (moved == nullptr) return bytes <= have ? shrink_where_it_is(p, mark, bytes) : nullptr;
  std::memcpy(moved, p, std::min(have, bytes));
  deallocate(p);
  return moved;
}

bool trim() noexcept {
  const slow_path here;
  if (here.nested()) return false;
  return make_room();
}

}  // namespace mallard::inline v1::detail
