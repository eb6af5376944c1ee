#include "malloc/heap_list.hpp"

#include <algorithm>
#include <new>

#include "mallard/detail/os/pages.hpp"
#include "malloc/huge_cache.hpp"
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
  heap->next = first_.load(std::memory_order_relaxed);
  first_.store(heap, std::memory_order_release);
}

bool heap_list::make_common() noexcept {
  if (common_ != nullptr) return true;
  common_ = make_heap();
  if (common_ == nullptr) return false;
  common_->idle.store(true, std::memory_order_relaxed);
  add(common_);
  return true;
}

void* heap_list::take_common(std::size_t bytes) noexcept {
  constexpr std::size_t cache_line_bytes = 64;
  const bool has_ended = !may_begin_thread();
  if (bytes > most_common_bytes && !has_ended) return nullptr;
  const holding hold(lock_);
  if (first() == nullptr && !has_ended) return nullptr;
  if (!make_common()) return nullptr;
  work_off(*common_);
  if (checks::keeps_classes || bytes > most_common_bytes) {
    return common_->take_one(any_class_of(bytes));
  }
  return common_->take_one(
      class_of_block(round_up(std::max(bytes, cache_line_bytes), cache_line_bytes)));
}

malloc_heap* heap_list::begin_thread() noexcept {
  malloc_heap* heap = nullptr;
  {
    const holding hold(lock_);
    heap = first_idle_;
    if (heap != nullptr) {
      first_idle_ = heap->next_idle;
      heap->idle.store(false, std::memory_order_relaxed);
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

// What is in use of the ended thread's slabs outlives it in the common heap: however many threads
// have ended, there is one heap to look at for what they have left.
void heap_list::end_thread() noexcept {
  malloc_heap* const heap = cache.heap;
  if (heap == nullptr) return;
  heap->detach(cache);
  const holding hold_heap(heap->lock());
  const holding hold(lock_);
  if (make_common()) {
    common_->absorb(*heap);
    ready_.fetch_or(common_->ready_classes(), std::memory_order_relaxed);
  }
  heap->next_idle = first_idle_;
  first_idle_ = heap;
  // Whoever sends blocks looks after that whether the heap is idle: in one order with this, so that
  // they are worked off there or here.
  heap->idle.store(true, std::memory_order_seq_cst);
  heap->post_all();
  work_off(*heap);
}

void heap_list::work_off(malloc_heap& heap) noexcept {
  if (heap.has_incoming()) ready_.fetch_or(heap.collect(), std::memory_order_relaxed);
}

void heap_list::collect_idle(malloc_heap& heap) noexcept {
  const holding hold(lock_);
  if (heap.idle.load(std::memory_order_relaxed)) work_off(heap);
}

bool heap_list::adopt_there(malloc_heap& by, unsigned size_class) noexcept {
  const holding hold(lock_);
  work_off(*common_);
  if (common_->hand_over(by, size_class)) return true;
  ready_.fetch_and(~(class_set{1} << size_class), std::memory_order_relaxed);
  return false;
}

std::size_t heap_list::trim() noexcept {
  std::size_t bytes = 0;
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) bytes += heap->trim();
  const holding hold(lock_);
  for (malloc_heap* heap = first_idle_; heap != nullptr; heap = heap->next_idle) {
    bytes += heap->trim_without_thread();
  }
  return common_ == nullptr ? bytes : bytes + common_->trim_without_thread();
}

void heap_list::trim_quiet() noexcept {
  constexpr unsigned long long milliseconds_between_looks = 1000;
  // Between the handlers of a fork all locks are this thread's.
  if (progress.has_every_lock) return;
  const unsigned long long now = os::milliseconds();
  unsigned long long next = next_look_.load(std::memory_order_relaxed);
  if (now < next || !next_look_.compare_exchange_strong(next, now + milliseconds_between_looks,
                                                        std::memory_order_relaxed)) {
    return;
  }
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) heap->trim_if_quiet();
  the_huge_cache.decay();
}

// Heaps that came while the others' locks were taken stand before these. A thread takes the list's
// lock while it holds its heap's: the list's is taken last.
bool heap_list::lock_heaps(bool (*take)(futex_lock&) noexcept) noexcept {
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

// Handlers of the fork may have made heaps in the meantime, whose locks were not taken.
void heap_list::unlock_heaps() noexcept {
  malloc_heap* const locked = locked_first_;
  lock_.release();
  for (malloc_heap* heap = locked; heap != nullptr; heap = heap->next) {
    heap->lock().release();
  }
}

void heap_list::reset_heaps() noexcept {
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) heap->lock().reset();
  lock_.reset();
}

void heap_list::forget_other_threads() noexcept {
  for (malloc_heap* heap = first(); heap != nullptr; heap = heap->next) {
    if (heap != cache.heap) heap->forget_thread();
  }
}

}  // namespace mallard::inline v1::detail
