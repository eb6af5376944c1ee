// Purpose: all heaps that send each other blocks: how a thread gets one and leaves it, and the
// common heap, with what ended threads have left.
//
// A thread that ends leaves its slabs to the common heap under the list's lock, and its heap
// becomes idle. However many threads have ended, there is one heap to look at for their slabs, and
// a bit for each class tells without the lock whether there are any.
//
// Whoever sends blocks pushes first and looks then whether the heap is idle; whoever makes it idle
// stores that first and looks then for what was sent. All four are in one order, so one of the two
// sees the other, and works the blocks off under the lock. Nothing waits where nobody looks.
//
// Slabs that become empty under the lock are taken out of the common heap first and given back
// behind it, so that it is held neither while the system works nor while an upstream does.
#pragma once

#include <cstddef>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/holding.hpp"
#include "mallard/detail/core/slab_set.hpp"
#include "mallard/detail/threads/sharing_heap.hpp"

namespace mallard::inline v1::detail {

// `Heap` says what its lock is (`list_lock`), and how many empty slabs the common heap keeps.
template <class Heap>
class heap_list {
 public:
  using lock_type = typename Heap::list_lock;

  // A heap for a thread: one that waits for a thread, or what `make()` returns, which is called
  // without the lock. Null, or an exception, when that is.
  template <class Make>
  Heap* begin_thread(Make&& make) {
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

  // Leaves what is in use of the heap's slabs to the common heap. The thread has put into the slabs
  // whatever it had at hand.
  void end_thread(Heap& heap) noexcept {
    const holding hold_heap(heap.lock());
    const access here(*this);
    if (common_ != nullptr && heap.may_leave_slabs()) {
      common_->absorb_all(heap);
      ready_.fetch_or(common_->ready_classes(), order::relaxed);
    }
    let_wait(heap);
    heap.post_all();
    work_off(heap);
  }

  // From there on the list does not change but by `take_all`.
  Heap* first() const noexcept { return first_.load(order::acquire); }
  lock_type& lock() noexcept { return lock_; }

  // Makes a slab of the class with free blocks, which ended threads have left, this heap's. O(1)
  // without a lock when there is none. Who calls may hold the heap's own lock.
  bool adopt(Heap& by, unsigned size_class) noexcept {
    const bool is_there = (ready_.load(order::relaxed) >> size_class & 1) != 0;
    return is_there && adopt_there(by, size_class);
  }

  // Works off what was sent to a heap without a thread, if it still is one.
  void collect_idle(Heap& heap) noexcept {
    const access here(*this);
    if (heap.idle.load(order::relaxed)) work_off(heap);
  }
  // The same of one that is, by who holds the lock.
  void work_off(Heap& heap) noexcept {
    if (!heap.has_incoming()) return;
    const class_set classes = heap.collect();
    // Without a common heap, for want of memory, the heap's slabs are still its own.
    if (common_ != nullptr) ready_.fetch_or(classes, order::relaxed);
  }

  // Holds the lock, and behind it gives back what has become empty.
  class [[nodiscard]] access {
   public:
    explicit access(heap_list& list) noexcept : list_(list) { list.lock_.lock(); }
    access(const access&) = delete;
    access& operator=(const access&) = delete;
    ~access() {
      Heap* const common = list_.common_;
      slab* const empty =
          common == nullptr ? nullptr : common->detach_reserve(Heap::common_kept_slabs);
      list_.lock_.unlock();
      if (empty != nullptr) common->give_detached(empty);
    }

   private:
    heap_list& list_;
  };

  // These require the lock. The common heap may be in the list or not; what waits, is.
  void make_common(Heap& heap) noexcept {
    heap.set_reserve_limit(keep_every_slab);
    heap.idle.store(true, order::relaxed);
    common_ = &heap;
  }
  void add(Heap& heap) noexcept {
    heap.next = first_.load(order::relaxed);
    first_.store(&heap, order::release);
  }
  void let_wait(Heap& heap) noexcept {
    heap.next_idle = first_idle_;
    first_idle_ = &heap;
    heap.idle.store(true, order::seq_cst);
  }
  // Leaves the list empty, but for the common heap. Returns the first of what was in it.
  Heap* take_all() noexcept {
    first_idle_ = nullptr;
    return first_.exchange(nullptr, order::acquire);
  }

 protected:
  lock_type lock_;
  Heap* common_ = nullptr;

 private:
  MALLARD_COLD bool adopt_there(Heap& by, unsigned size_class) noexcept {
    const access here(*this);
    work_off(*common_);
    if (by.adopt_from(*common_, size_class)) return true;
    ready_.fetch_and(~(class_set{1} << size_class), order::relaxed);
    return false;
  }

  atomic<Heap*> first_{nullptr};
  Heap* first_idle_ = nullptr;
  // Classes of which the common heap may have slabs to hand over.
  atomic<class_set> ready_{0};
};

}  // namespace mallard::inline v1::detail
