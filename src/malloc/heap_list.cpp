#include "malloc/heap_list.hpp"

#include <algorithm>
#include <new>

#include "mallard/detail/os/pages.hpp"
#include "malloc/slice_supply.hpp"
#include "malloc/thread_exit.hpp"

namespace mallard::inline v1::detail {

constinit heap_list the_heaps;

malloc_heap* heap_list::make_heap() noexcept {
  void* const p = the_supply.take(heap_bytes, false);
  if (p == nullptr) return nullptr;
  // With pages of 64 KiB there is no room for one.
  const bool has_guard = checks::guard_bytes() + sizeof(malloc_heap) <= heap_bytes;
  const std::size_t guard = has_guard ? checks::guard_bytes() : 0;
  if constexpr (checks::has_guards) os::protect(p, guard);
  return ::new (static_cast<std::byte*>(p) + guard) malloc_heap;
}

void heap_list::add(malloc_heap* heap) noexcept {
  heap->next = first_;
  first_ = heap;
}

void* heap_list::take_common(std::size_t bytes) noexcept {
  constexpr std::size_t cache_line_bytes = 64;
  const bool has_ended = !may_begin_thread();
  if (bytes > most_common_bytes && !has_ended) return nullptr;
  const holding hold(lock_);
  if (first_ == nullptr && !has_ended) return nullptr;
  if (common_ == nullptr) {
    common_ = make_heap();
    if (common_ == nullptr) return nullptr;
    common_->idle.store(true, std::memory_order_relaxed);
    add(common_);
  }
  if (bytes > most_common_bytes) return common_->take_one(any_class_of(bytes));
  return common_->take_one(
      class_of_block(round_up(std::max(bytes + canary_bytes, cache_line_bytes), cache_line_bytes)));
}

malloc_heap* heap_list::begin_thread() noexcept {
  malloc_heap* heap = nullptr;
  {
    const holding hold(lock_);
    heap = first_idle_;
    if (heap != nullptr) {
      first_idle_ = heap->next_idle;
      heap->idle.store(false, std::memory_order_relaxed);
      idle_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (heap == nullptr) {
    heap = make_heap();
    if (heap == nullptr) return nullptr;
    const holding hold(lock_);
    add(heap);
  }
  heap->attach(cache);
  end_heap_with_thread();
  return heap;
}

void heap_list::end_thread() noexcept {
  malloc_heap* const heap = cache.heap;
  if (heap == nullptr) return;
  heap->detach(cache);
  const holding hold(lock_);
  heap->next_idle = first_idle_;
  first_idle_ = heap;
  // Whoever sends blocks looks after that whether the heap is idle: in one order with this, so that
  // they are worked off there or here.
  heap->idle.store(true, std::memory_order_seq_cst);
  idle_.fetch_add(1, std::memory_order_relaxed);
  heap->post_all();
  work_off(*heap);
}

void heap_list::work_off(malloc_heap& heap) noexcept {
  if (!heap.has_incoming()) return;
  &heap == common_ ? heap.collect() : heap.trim();
}

void heap_list::collect_idle(malloc_heap& heap) noexcept {
  const holding hold(lock_);
  if (heap.idle.load(std::memory_order_relaxed)) work_off(heap);
}

void heap_list::trim_idle() noexcept {
  const holding hold(lock_);
  for (malloc_heap* heap = first_idle_; heap != nullptr; heap = heap->next_idle) heap->trim();
}

std::size_t heap_list::purge_idle() noexcept {
  const holding hold(lock_);
  std::size_t bytes = common_ == nullptr ? 0 : common_->purge_free_pages();
  for (malloc_heap* heap = first_idle_; heap != nullptr; heap = heap->next_idle) {
    bytes += heap->purge_free_pages();
  }
  return bytes;
}

void heap_list::forget_other_threads() noexcept {
  for (malloc_heap* heap = first_; heap != nullptr; heap = heap->next) {
    if (heap != cache.heap) heap->forget_thread();
  }
}

}  // namespace mallard::inline v1::detail
