// Purpose: all heaps that send each other blocks: how a thread gets one and leaves it, and the
// common heap, with what ended threads have left.
//
// However many threads have ended, there is one heap to look at for their slabs, and a bit for each
// class tells without a lock whether there are any. Blocks that are sent to a heap without a thread
// are worked off by who sends them. One lock guards all that. Slabs that become empty under it are
// taken out of the common heap first and given back behind it, so that it is held neither while the
// system works nor while an upstream does.
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
  Heap* begin_thread(Make&& make);
  // Leaves what is in use of the heap's slabs to the common heap. The thread has put into the slabs
  // whatever it had at hand.
  void end_thread(Heap& heap) noexcept;

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
  void collect_idle(Heap& heap) noexcept;
  // The same of one that is, by who holds the lock.
  void work_off(Heap& heap) noexcept;

  // Holds the lock, and behind it gives back what has become empty.
  class [[nodiscard]] access {
   public:
    explicit access(heap_list& list) noexcept : list_(list) { list.lock_.lock(); }
    ~access();
    access(const access&) = delete;
    access& operator=(const access&) = delete;

   private:
    heap_list& list_;
  };

  // These require the lock. The common heap may be in the list or not; what waits, is.
  void make_common(Heap& heap) noexcept;
  void add(Heap& heap) noexcept;
  void let_wait(Heap& heap) noexcept;
  // Leaves the list empty, but for the common heap. Returns the first of what was in it.
  Heap* take_all() noexcept;

 protected:
  lock_type lock_;
  Heap* common_ = nullptr;

 private:
  MALLARD_COLD bool adopt_there(Heap& by, unsigned size_class) noexcept;

  atomic<Heap*> first_{nullptr};
  Heap* first_idle_ = nullptr;
  // Of which classes the common heap may have slabs to hand over.
  atomic<class_set> ready_{0};
};

}  // namespace mallard::inline v1::detail
