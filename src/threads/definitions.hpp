// How threads share heaps. A block that a thread frees of another heap is linked into the batch for
// that heap; a full batch goes to the heap's incoming list by one compare-and-swap. The heap's
// thread takes the list by one exchange when it has nothing at hand, and puts the blocks into their
// slabs, a run of one slab's class at a time. What has changed hands under way is sent on.
//
// A thread that ends leaves its slabs to the common heap under the list's lock, and its heap
// becomes idle. Whoever sends pushes first and looks then whether the heap is idle; whoever makes
// it idle stores that first and looks then for what was sent. All four are in one order, so one of
// the two sees the other, and works the blocks off under the lock. Nothing waits in a list that
// nobody looks at, so the common heap's slabs are as empty as they can be, and its bits tell what
// there is.
//
// Included where a face's heaps are instantiated.
#pragma once

#include <array>

#include "mallard/detail/threads/heap_list.hpp"

namespace mallard::inline v1::detail {

template <class Heap, class Block>
void sharing_heap<Heap, Block>::post(batch& b) noexcept {
  Heap& to = *b.to;
  hand_over(b);
  b = {};
  // In one order with the push, and the other way round in `heap_list::end_thread`.
  if (!to.idle.load(order::seq_cst)) return;
  // Who works on a heap without a thread holds the lock that this would take.
  if (idle.load(order::relaxed)) return self().list().work_off(to);
  self().list().collect_idle(to);
}

template <class Heap, class Block>
void sharing_heap<Heap, Block>::post_batches() noexcept {
  has_batches_ = false;
  for (batch& b : self().batches().places) {
    if (b.to != nullptr) post(b);
  }
}

template <class Heap, class Block>
void sharing_heap<Heap, Block>::send_first(batch& b, void* p, block_home home) noexcept {
  if (b.to != nullptr) post(b);
  has_batches_ = true;
  b.begin(home.heap(), p, home.size_class());
}

template <class Heap, class Block>
void sharing_heap<Heap, Block>::send_alone(void* p, block_home home) noexcept {
  batch b;
  b.begin(home.heap(), p, home.size_class());
  hand_over(b);
  if (b.to->idle.load(order::seq_cst)) b.to->list().collect_idle(*b.to);
}

// Blocks of slabs that have changed hands. The batches are for the heap's own thread; and who works
// on a heap without one may work on all of these.
template <class Heap, class Block>
void sharing_heap<Heap, Block>::forward(void* const* first, void* const* last,
                                        block_home home) noexcept {
  Heap& to = *home.heap();
  const auto size_class = static_cast<unsigned>(home.size_class());
  if (idle.load(order::relaxed) && to.idle.load(order::relaxed)) {
    return to.give_run(first, last, size_class);
  }
  batch b;
  b.begin(&to, *first, size_class);
  while (++first != last) b.add(*first, size_class);
  hand_over(b);
  if (to.idle.load(order::seq_cst)) self().list().collect_idle(to);
}

template <class Heap, class Block>
class_set sharing_heap<Heap, Block>::collect_all() noexcept {
  class_set classes = 0;
  std::array<void*, longest_batch_blocks> run;
  Block* block = incoming_.take_all();
  while (block != nullptr) {
    const block_home home = block->home();
    const auto size_class = static_cast<unsigned>(home.size_class());
    classes |= class_set{1} << size_class;
    std::size_t count = 0;
    do {
      Block* const after = block->next();
      run[count++] = block->leave();
      block = after;
    } while (block != nullptr && count != run.size() && block->home() == home);
    if (home.heap() == &self()) {
      self().give_run(run.data(), run.data() + count, size_class);
    } else {
      forward(run.data(), run.data() + count, home);
    }
  }
  return classes;
}

template <class Heap, class Block>
bool sharing_heap<Heap, Block>::adopt(unsigned size_class) noexcept {
  // Who works on a heap without a thread holds the lock that this would take.
  if (idle.load(order::relaxed)) return false;
  while (self().list().adopt(self(), size_class)) {
    if (self().advance_class(size_class)) return true;
  }
  return false;
}

template <class Heap>
heap_list<Heap>::access::~access() {
  Heap* const common = list_.common_;
  slab* const empty = common == nullptr ? nullptr : common->detach_reserve(Heap::common_kept_slabs);
  list_.lock_.unlock();
  if (empty != nullptr) common->give_detached(empty);
}

template <class Heap>
void heap_list<Heap>::make_common(Heap& heap) noexcept {
  heap.set_reserve_limit(keep_every_slab);
  heap.idle.store(true, order::relaxed);
  common_ = &heap;
}

template <class Heap>
void heap_list<Heap>::add(Heap& heap) noexcept {
  heap.next = first_.load(order::relaxed);
  first_.store(&heap, order::release);
}

template <class Heap>
void heap_list<Heap>::let_wait(Heap& heap) noexcept {
  heap.next_idle = first_idle_;
  first_idle_ = &heap;
  heap.idle.store(true, order::seq_cst);
}

template <class Heap>
template <class Make>
Heap* heap_list<Heap>::begin_thread(Make&& make) {
  {
    const holding hold(lock_);
    if (Heap* const heap = first_idle_) {
      first_idle_ = heap->next_idle;
      heap->idle.store(false, order::relaxed);
      return heap;
    }
  }
  Heap* const heap = make();
  if (heap == nullptr) return nullptr;
  const holding hold(lock_);
  add(*heap);
  return heap;
}

template <class Heap>
void heap_list<Heap>::end_thread(Heap& heap) noexcept {
  const holding hold_heap(heap.lock());
  const access here(*this);
  heap.forget_thread();
  if (common_ != nullptr && heap.may_leave_slabs()) {
    common_->absorb_all(heap);
    ready_.fetch_or(common_->ready_classes(), order::relaxed);
  }
  let_wait(heap);
  heap.post_all();
  work_off(heap);
}

template <class Heap>
Heap* heap_list<Heap>::take_all() noexcept {
  first_idle_ = nullptr;
  return first_.exchange(nullptr, order::acquire);
}

template <class Heap>
void heap_list<Heap>::work_off(Heap& heap) noexcept {
  if (!heap.has_incoming()) return;
  const class_set classes = heap.collect();
  // Without a common heap, for want of memory, the heap's slabs are still its own.
  if (common_ != nullptr) ready_.fetch_or(classes, order::relaxed);
}

template <class Heap>
void heap_list<Heap>::collect_idle(Heap& heap) noexcept {
  const access here(*this);
  if (heap.idle.load(order::relaxed)) work_off(heap);
}

template <class Heap>
bool heap_list<Heap>::adopt_there(Heap& by, unsigned size_class) noexcept {
  const access here(*this);
  work_off(*common_);
  if (by.adopt_class(size_class, *common_)) return true;
  ready_.fetch_and(~(class_set{1} << size_class), order::relaxed);
  return false;
}

}  // namespace mallard::inline v1::detail
