// Purpose: remote frees, slabs that move between heaps, and whether a heap has a thread: all that a
// heap has to do with threads that are not its own.
//
// A thread that frees a block of another heap links it into its batch for that heap. A full
// batch goes to the heap's incoming list by one compare-and-swap. The heap's thread takes the
// whole list by one exchange when it has nothing at hand, and puts the blocks into their slabs
// in runs of one class: as many as it takes, and before it takes another slab a portion, so that
// no call pays for all that others have freed in an hour. Where others may work on a heap, who
// sends it much puts back twice as much as it sends, so that little waits. A block whose slab has
// moved to another heap meanwhile is sent on.
//
// A heap, of the library or of the malloc, derives from its slab_set and from this. Only its thread
// works on it, under the heap's lock if others may give back what it holds for nothing. A heap
// without a thread is idle, and the lock of its list guards it. The two kinds of heaps provide:
//
//   Heap   list()                       the heap_list that it is in
//          batches()                    remote_batches: blocks on their way from it
//          pools()                      slab_set's, by size class
//          lock()                       held while it is used: `no_lock` where only its thread does
//          give_run(first, last, class) puts back blocks of its own slabs
//          took(slab, from)             a slab of another heap has become its own
//          leaving(class)               its current slab is about to leave
//          may_leave_slabs()            whether others get its slabs when the thread ends
//          put_back_sent(is_too_much)   a part, by who sends it much, which may wait a moment if it
//                                       is too much; nothing where only its thread works on it
//          most_at_once                 the blocks of a portion
//   Block  content of a free block on its way: at(p, class), set_next, next, leave, and home: the
//          heap and the class of its slab, which may have moved to another heap meanwhile
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/slab_set.hpp"
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
  // The same for one block, by a thread that has no heap.
  static void send_alone(void* p, block_home home) noexcept {
    batch b;
    b.begin(home.heap(), p, home.size_class());
    hand_over(b);
    if (!b.to->idle.load(order::seq_cst)) return b.to->put_back_if_much();
    b.to->list().collect_idle(*b.to);
  }

  // Hands over a batch that is not empty.
  [[gnu::noinline]] void post(batch& b) noexcept {
    // A signal handler that frees meanwhile finds the batch empty.
    const batch full = b;
    Heap& to = *full.to;
    b = {};
    hand_over(full);
    // In one order with the push; `heap_list::end_thread` does the two the other way round.
    if (!to.idle.load(order::seq_cst)) return to.put_back_if_much();
    // Whoever works on an idle heap already holds the lock that this would take.
    if (idle.load(order::relaxed)) return self().list().work_off(to);
    self().list().collect_idle(to);
  }
  // Hands over all batches, full or not.
  void post_all() noexcept {
    if (!has_batches_) return;
    has_batches_ = false;
    for (batch& b : self().batches().places) {
      if (b.to != nullptr) post(b);
    }
  }

  // Puts what other threads have freed into the slabs: all, or so many blocks; the others wait for
  // the next call. Returns the classes of these blocks.
  class_set collect(std::size_t most = SIZE_MAX) noexcept {
    return has_waiting() ? put_back(most) : 0;
  }
  // Whether others have sent any, in one order with their sending and with `idle`.
  bool has_waiting() const noexcept { return waiting_ != nullptr || !incoming_.empty(); }
  // For who has sent it blocks: what waits is bounded, whether its thread comes or not.
  void put_back_if_much() noexcept {
    const std::uint32_t bytes = waiting_bytes_.load(order::relaxed);
    if (bytes < much_bytes && !was_much_.load(order::relaxed)) return;
    was_much_.store(true, order::relaxed);
    self().put_back_sent(bytes >= 2 * much_bytes);
  }

  // Whether a block of the class can be taken without another slab; it is at hand then.
  bool advance_class(unsigned size_class) noexcept {
    slab_pool& pool = self().pools()[size_class];
    return pool.free_slots != 0 || self().advance(pool, size_class);
  }
  // The same, also with blocks that wait to be put back, and with slabs that ended threads have
  // left.
  bool advance_or_adopt(unsigned size_class) noexcept {
    for (std::size_t left = Heap::most_at_once;; left -= longest_batch_blocks) {
      if (advance_class(size_class)) return true;
      if (left == 0 || !has_waiting()) break;
      collect(longest_batch_blocks);
    }
    // Whoever works on an idle heap already holds the lock that this would take.
    if (idle.load(order::relaxed)) return false;
    while (self().list().adopt(self(), size_class)) {
      if (advance_class(size_class)) return true;
    }
    return false;
  }
  // Moves a slab of the class with free blocks to this heap. False when the other has none.
  bool adopt_from(Heap& from, unsigned size_class) noexcept {
    slab_pool& pool = self().pools()[size_class];
    slab_pool& from_pool = from.pools()[size_class];
    from.leaving(size_class);
    from.rest_pool(from_pool, size_class);
    if (!self().adopt(pool, from, from_pool, size_class)) return false;
    self().took(*pool.current(class_layouts[size_class]), from);
    return true;
  }
  // The classes that have slabs with free blocks.
  class_set ready_classes() noexcept {
    class_set classes = 0;
    for (unsigned c = 0; c < self().pools().size(); ++c) {
      if (self().pools()[c].base != nullptr) classes |= class_set{1} << c;
    }
    return classes;
  }

  Heap* next = nullptr;  // in the list of all heaps; set before the heap is in it
  // Guarded by the lock of the list.
  Heap* next_idle = nullptr;  // in the list of idle heaps
  // Becomes true under that lock and the heap's own, false under that lock alone. While it is true,
  // that lock guards the heap: who then loads false under the heap's own has to acquire what was
  // done before.
  atomic<bool> idle{false};

 protected:
  // Drops what is on its way from and to the heap.
  void forget_remote_blocks() noexcept {
    forget_batches();
    incoming_.take_all();
    waiting_ = nullptr;
    waiting_bytes_.store(0, order::relaxed);
    was_much_.store(false, order::relaxed);
  }
  void forget_batches() noexcept {
    self().batches() = {};
    has_batches_ = false;
  }

 private:
  Heap& self() noexcept { return static_cast<Heap&>(*this); }

  static void hand_over(const batch& b) noexcept {
    sharing_heap& to = *b.to;
    // First: who puts them back subtracts them.
    to.waiting_bytes_.fetch_add(b.bytes(), order::relaxed);
    to.incoming_.push(b.first, b.last);
  }

  MALLARD_COLD void send_first(batch& b, void* p, block_home home) noexcept {
    if (b.to != nullptr) post(b);
    has_batches_ = true;
    b.begin(home.heap(), p, home.size_class());
  }

  [[gnu::noinline]] class_set put_back(std::size_t most) noexcept {
    class_set classes = 0;
    std::uint32_t bytes = 0;
    std::array<void*, longest_batch_blocks> run;
    while (most != 0) {
      if (waiting_ == nullptr) waiting_ = incoming_.take_all();
      if (waiting_ == nullptr) {
        was_much_.store(false, order::relaxed);
        break;
      }
      const block_home home = waiting_->home();
      const auto size_class = static_cast<unsigned>(home.size_class());
      classes |= class_set{1} << size_class;
      const std::size_t longest = smaller(most, run.size());
      std::size_t count = 0;
      do {
        Block* const after = waiting_->next();
        run[count++] = waiting_->leave();
        waiting_ = after;
      } while (waiting_ != nullptr && count != longest && waiting_->home() == home);
      most -= count;
      bytes +=
          static_cast<std::uint32_t>(count) * static_cast<std::uint32_t>(batch_weights[size_class]);
      if (home.heap() == &self()) {
        self().give_run(run.data(), run.data() + count, size_class);
      } else {
        forward(run.data(), run.data() + count, home);
      }
    }
    waiting_bytes_.fetch_sub(bytes, order::relaxed);
    return classes;
  }

  // Sends on blocks of slabs that have moved to another heap. Only the heap's own thread may use
  // its batches; whoever works on an idle heap may work on all idle ones.
  MALLARD_COLD void forward(void* const* first, void* const* last, block_home home) noexcept {
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

  static constexpr std::uint32_t much_bytes = 32 * batch_bytes;

  bool has_batches_ = false;  // there may be some
  // There was much since all was last known to be put back: until then senders go on, while the
  // blocks are in the processor's caches.
  atomic<bool> was_much_{false};
  // Sent and not put back yet, as batches count them. Here there is room for it.
  atomic<std::uint32_t> waiting_bytes_{0};
  Block* waiting_ = nullptr;  // taken from those below, and not yet put back
  // Other threads write this; they also read what is above.
  remote_list<Block> incoming_;
};

}  // namespace mallard::inline v1::detail
