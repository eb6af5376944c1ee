// Purpose: the list of all heaps that send each other blocks: how a thread gets a heap and leaves
// it, and the common heap, which has the slabs of ended threads.
//
// A thread that ends moves its slabs to the common heap under the list's lock, and its heap becomes
// idle. However many threads have ended, there is one heap to search for their slabs, and a bit for
// each class tells without the lock whether it has any.
//
// A sender pushes a block first and then reads whether the heap is idle. Whoever makes a heap idle
// stores that first and then looks for pushed blocks. All four accesses are in one order, so one of
// the two sees the other and collects the blocks under the lock: no block waits where nobody looks.
//
// Slabs that become empty under the lock are taken out of the common heap and given back after it,
// so it is not held while the system or an upstream works.
#pragma once

#include <cstddef>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/holding.hpp"
#include "mallard/detail/core/slab_set.hpp"
#include "mallard/detail/threads/sharing_heap.hpp"

namespace mallard::inline v1::detail {

// `Heap` names its lock (`list_lock`), and how many empty slabs the common heap keeps.
template <class Heap>
class heap_list {
 public:
  using lock_type = typename Heap::list_lock;

  // A heap for a thread: an idle one, or what `make()` returns, which is called without the lock.
  // Null, or an exception, when that is.
  template <class Make>
  Heap* begin_thread(Make&& make) {
    {
      const holding hold(lock_);
      if (Heap* const heap = first_idle_) {
        first_idle_ = heap->next_idle;
        heap->idle.store(false, order::release);
        return heap;
      }
    }
    Heap* const heap = make();
    if (heap == nullptr) return nullptr;
    const holding hold(lock_);
    add(*heap);
    return heap;
  }

  // Leaves the heap's slabs in use to the common heap. The thread has put back into the slabs
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

  // The list behind it changes only by `take_all`.
  Heap* first() const noexcept { return first_.load(order::acquire); }
  lock_type& lock() noexcept { return lock_; }

  // Moves a slab of the class with free blocks, left by ended threads, to this heap. O(1) without a
  // lock when there is none. The caller may hold the heap's own lock.
  bool adopt(Heap& by, unsigned size_class) noexcept {
    const bool is_there = (ready_.load(order::relaxed) >> size_class & 1) != 0;
    return is_there && adopt_there(by, size_class);
  }

  // Collects what was sent to a heap without a thread, if it still has none.
  void collect_idle(Heap& heap) noexcept {
    const access here(*this);
    if (heap.idle.load(order::relaxed)) work_off(heap);
  }
  // The same for a heap that is known to be idle. Requires the lock.
  void work_off(Heap& heap) noexcept {
    if (!heap.has_waiting()) return;
    const class_set classes = heap.collect();
    // Without a common heap, for lack of memory, the heap's slabs are still its own.
    if (common_ != nullptr) ready_.fetch_or(classes, order::relaxed);
  }

  // Holds the lock, and gives back what has become empty after releasing it.
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

  // Require the lock. The common heap may be in the list or not; idle heaps are.
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
  // Empties the list, except for the common heap. Returns the first heap of the list.
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
