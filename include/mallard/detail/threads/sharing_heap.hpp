// Purpose: what a heap has to do with threads that are not its own: blocks on their way to it and
// from it, slabs that change hands, and whether it has a thread at all.
//
// A heap of either face derives from its slab_set and from this. Its thread works on it alone, or
// under a lock of the heap's if others may give back what it holds for nothing. While it has no
// thread it is idle, and the lock of its list guards it. The faces differ in what they provide:
//
//   Heap   list()                       the heap_list that it is in
//          batches()                    remote_batches: blocks on their way from it
//          lock()                       of who works on it: `no_lock` where only its thread does
//          give_run(first, last, class) blocks of its own slabs, put back there
//          advance_class(class)         whether a block can be had without a further slab
//          adopt_class(class, from)     one slab with free blocks, from another heap
//          absorb_all(from)             all slabs of another heap
//          ready_classes()              of which there are slabs with free blocks
//          may_leave_slabs()            whether they go to others when the thread ends
//          forget_thread()              it has none any more
//   Block  what a free block holds on its way: at(p, class), set_next, next, leave, and home: the
//          heap and the class of its slab, which may have changed hands meanwhile
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/remote_list.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/threads/remote_batch.hpp"

namespace mallard::inline v1::detail {

// A bit for each size class.
using class_set = std::uint64_t;
static_assert(extended_class_count <= 64);

template <class Heap, class Block>
class alignas(64) sharing_heap {
 public:
  using block_home = typename Block::home_type;
  using batch = remote_batch<Heap, Block>;

  // Takes a block whose home is another heap.
  void send(void* p, block_home home) noexcept {
    batch& b = self().batches().of(home.heap());
    if (b.to != home.heap()) [[unlikely]] {
      return send_first(b, p, home);
    }
    if (!b.add(p, home.size_class())) [[unlikely]] {
      post(b);
    }
  }
  // Hands a batch over that is not empty.
  [[gnu::noinline]] void post(batch& b) noexcept;
  // Hands over what was sent and waits for company.
  void post_all() noexcept {
    if (has_batches_) post_batches();
  }
  // The same of one block, by a thread that has no heap.
  static void send_alone(void* p, block_home home) noexcept;

  // Puts what other threads have freed into the slabs. Returns of which classes.
  class_set collect() noexcept { return incoming_.empty() ? 0 : collect_all(); }
  // Whether there is any, in one order with what other threads send and with `idle`.
  bool has_incoming() const noexcept { return !incoming_.empty_in_order(); }

  // Puts a block of the class at hand, if ended threads have left a slab with some.
  bool adopt(unsigned size_class) noexcept;

  Heap* next = nullptr;  // of all heaps; set before the heap is one of them
  // Guarded by the lock of the list.
  Heap* next_idle = nullptr;  // of those that wait for a thread
  // Changes under that lock and the heap's own.
  atomic<bool> idle{false};

 protected:
  // As new, without what was on its way from and to the heap.
  void forget_remote_blocks() noexcept {
    self().batches() = {};
    has_batches_ = false;
    incoming_.take_all();
  }

 private:
  Heap& self() noexcept { return static_cast<Heap&>(*this); }
  MALLARD_COLD void post_batches() noexcept;
  MALLARD_COLD void send_first(batch& b, void* p, block_home home) noexcept;
  [[gnu::noinline]] class_set collect_all() noexcept;
  void forward(void* const* first, void* const* last, block_home home) noexcept;
  static void hand_over(const batch& b) noexcept {
    static_cast<sharing_heap*>(b.to)->incoming_.push(b.first, b.last);
  }

  bool has_batches_ = false;  // there may be some
  // Written by other threads, who look at what is above besides.
  remote_list<Block> incoming_;
};

}  // namespace mallard::inline v1::detail
