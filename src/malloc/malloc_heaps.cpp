#include "malloc/malloc_heaps.hpp"

#include <algorithm>
#include <new>

#include "mallard/detail/os/pages.hpp"
#include "malloc/kept_errno.hpp"
#include "malloc/slow_path.hpp"

namespace mallard::inline v1::detail {

constinit heap_numbers the_heap_numbers;
constinit malloc_heaps the_heaps{the_pages};

malloc_heap* malloc_heaps::make_heap(bool is_common) noexcept {
  void* const p = supply().take(heap_bytes);
  if (p == nullptr) return nullptr;
  // With pages of 64 KiB there is no room for a guard page.
  const bool has_guard = checks::guard_bytes() + sizeof(malloc_heap) <= heap_bytes;
  const std::size_t guard = has_guard ? checks::guard_bytes() : 0;
  void* const heap = static_cast<std::byte*>(p) + guard;
  const std::size_t number = the_heap_numbers.take(heap, is_common);
  if (number == heap_numbers::none) {
    supply().give(p, heap_bytes);
    return nullptr;
  }
  if constexpr (checks::has_guards) os::protect(p, guard);
  return ::new (heap) malloc_heap(*this, number);
}

bool malloc_heaps::make_common() noexcept {
  if (common_ != nullptr) return true;
  malloc_heap* const heap = make_heap(true);
  if (heap == nullptr) return false;
  heap_list::make_common(*heap);
  add(*heap);
  return true;
}

void* malloc_heaps::take_common(std::size_t bytes, bool ended) noexcept {
  constexpr std::size_t cache_line_bytes = 64;
  if (bytes > most_common_bytes && !ended) return nullptr;
  const access here(*this);
  if (first() == nullptr && !ended) return nullptr;
  if (!make_common()) return nullptr;
  work_off(*common_);
  if (checks::keeps_classes || bytes > most_common_bytes) {
    return common_->take_one(any_class_of(bytes));
  }
  return common_->take_one(
      class_of_block(round_up(std::max(bytes, cache_line_bytes), cache_line_bytes)));
}

malloc_heap* malloc_heaps::begin_thread(thread_cache& to) noexcept {
  malloc_heap* const heap = heap_list::begin_thread([this] { return make_heap(false); });
  if (heap != nullptr) heap->attach(to);
  return heap;
}

void malloc_heaps::end_thread(thread_cache& from) noexcept {
  malloc_heap* const heap = from.heap;
  if (heap == nullptr) return;
  const slow_path here;  // the heap is nobody's for a moment
  heap->detach(from);
  {
    // Without memory for a common heap, the next thread gets the slabs with this heap.
    const holding hold(lock_);
    make_common();
  }
  heap_list::end_thread(*heap);
}

void malloc_heaps::collect_idle(malloc_heap& heap) noexcept {
  const kept_errno keep;
  heap_list::collect_idle(heap);
}

std::size_t malloc_heaps::trim(bool pages) noexcept {
  std::size_t bytes = 0;
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) bytes += heap->trim(pages);
  const access here(*this);
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) {
    if (!heap->idle.load(order::relaxed)) continue;
    work_off(*heap);
    bytes += heap->give_back_free(pages);
  }
  return bytes;
}

void malloc_heaps::trim_quiet() noexcept {
  constexpr int most_passed_by = 16;
  // Between the handlers of a fork all locks are this thread's.
  if (progress.has_every_lock) return;
  const unsigned long long now = os::milliseconds();
  unsigned long long next = next_look_.load(std::memory_order_relaxed);
  if (now >= next &&
      next_look_.compare_exchange_strong(next, now + idle_decay::milliseconds_of_portion,
                                         std::memory_order_relaxed)) {
    pages_.decay();
    if (now >= next_round_.load(std::memory_order_relaxed)) {
      next_round_.store(now + idle_decay::milliseconds, std::memory_order_relaxed);
      pages_.budget.forget_peak();
      malloc_heap* none = nullptr;  // the last round may not have ended
      looked_at_.compare_exchange_strong(none, first(), std::memory_order_acq_rel);
    }
  }
  // Two threads that come at once inspect one heap, or one of them none: the heap has a lock. Heaps
  // with nothing to give back are passed by.
  malloc_heap* heap = looked_at_.load(std::memory_order_acquire);
  for (int passed = 0; heap != nullptr && passed < most_passed_by; ++passed) {
    if (heap->trim_if_quiet() == malloc_heap::quiet::may_have_more) return;
    malloc_heap* const after = heap->next;
    if (!looked_at_.compare_exchange_strong(heap, after, std::memory_order_acq_rel,
                                            std::memory_order_relaxed)) {
      return;
    }
    heap = after;
  }
}

bool malloc_heaps::give_back_idle() noexcept {
  bool is_done = true;
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) {
    malloc_heap::quiet is = malloc_heap::quiet::may_have_more;
    while (is == malloc_heap::quiet::may_have_more) is = heap->trim_if_quiet();
    is_done &= is == malloc_heap::quiet::is_trimmed;
  }
  pages_.decay();
  pages_.supply.keep_to_budget();
  pages_.budget.forget_peak();
  return is_done && pages_.budget.kept() == 0;
}

// Heaps that were made while the others' locks were taken come first in the list. A thread takes
// the list's lock while it holds its heap's: so the list's is taken last.
bool malloc_heaps::lock_heaps(bool (*take)(futex_lock&) noexcept) noexcept {
  malloc_heap* taken = nullptr;
  for (;;) {
    malloc_heap* const newest = first();
    for (malloc_heap* heap = newest; heap != taken; heap = heap->next) {
      if (take(heap->lock())) continue;
      for (malloc_heap* h = newest; h != heap; h = h->next) h->lock().release();
      for (malloc_heap* h = taken; h != nullptr; h = h->next) h->lock().release();
      return false;
    }
    taken = newest;
    const bool has_list = take(lock_);
    if (has_list && first() == taken) break;
    if (has_list) {
      lock_.release();
      continue;
    }
    for (malloc_heap* h = taken; h != nullptr; h = h->next) h->lock().release();
    return false;
  }
  locked_first_ = taken;
  return true;
}

// Fork handlers may have made heaps in the meantime, whose locks were not taken.
void malloc_heaps::unlock_heaps() noexcept {
  malloc_heap* const locked = locked_first_;
  lock_.release();
  for (malloc_heap* heap = locked; heap != nullptr; heap = heap->next) {
    heap->lock().release();
  }
}

void malloc_heaps::reset_heaps() noexcept {
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) heap->lock().reset();
  lock_.reset();
}

void malloc_heaps::forget_threads_but(const malloc_heap* mine) noexcept {
  malloc_heap* orphans = nullptr;
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) {
    if (heap == mine || heap->idle.load(std::memory_order_relaxed)) continue;
    heap->forget_thread();
    heap->next_idle = orphans;
    orphans = heap;
  }
  orphans_.store(orphans, std::memory_order_relaxed);
}

bool malloc_heaps::take_over_orphan() noexcept {
  malloc_heap* heap = nullptr;
  {
    const holding hold(lock_);
    heap = orphans_.load(std::memory_order_relaxed);
    if (heap == nullptr) return false;
    orphans_.store(heap->next_idle, std::memory_order_relaxed);
    make_common();
  }
  heap->rest_without_thread();
  heap_list::end_thread(*heap);
  return true;
}

}  // namespace mallard::inline v1::detail
