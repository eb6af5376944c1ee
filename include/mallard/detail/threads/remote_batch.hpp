// Purpose: batches of remote frees: blocks of other heaps that a thread frees, linked for each heap
// until there are enough to hand over in one step, and the list that they are handed over to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/atomic.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/size_classes.hpp"

namespace mallard::inline v1::detail {

// A batch holds at most so many bytes of blocks, or one block. Small blocks count as a part of it.
inline constexpr std::size_t batch_bytes = std::size_t{32} << 10;
inline constexpr unsigned longest_batch_blocks = 64;

inline constexpr auto batch_weights = [] {
  std::array<std::int32_t, extended_class_count> table{};
  for (unsigned c = 0; c < extended_class_count; ++c) {
    table[c] =
        static_cast<std::int32_t>(larger(class_bytes(c), batch_bytes / longest_batch_blocks));
  }
  return table;
}();

// `Block` is what a free block holds on its way (see sharing_heap.hpp).
template <class Heap, class Block>
struct remote_batch {
  Heap* to;  // null: the batch is empty
  Block* first;
  Block* last;
  std::int32_t room;  // bytes; below 0, the batch must be sent

  void begin(Heap* heap, void* p, std::size_t size_class) noexcept {
    Block* const block = Block::at(p, size_class);
    block->set_next(nullptr);
    *this = {heap, block, block, std::int32_t{batch_bytes} - 1 - batch_weights[size_class]};
  }
  std::uint32_t bytes() const noexcept {
    return static_cast<std::uint32_t>(std::int32_t{batch_bytes} - 1 - room);
  }
  // For a block of the batch's heap. False when the batch must be sent.
  MALLARD_ALWAYS_INLINE bool add(void* p, std::size_t size_class) noexcept {
    Block* const block = Block::at(p, size_class);
    block->set_next(first);
    first = block;
    room -= batch_weights[size_class];
    return room >= 0;
  }
};

// Blocks on their way to one heap. Lock-free: any thread pushes, one at a time takes all.
template <class Block>
class remote_list {
 public:
  // In one order with all pushes and other sequentially consistent operations.
  bool empty() const noexcept { return head_.load(order::seq_cst) == nullptr; }

  // `first` to `last` are linked already.
  void push(Block* first, Block* last) noexcept {
    Block* before = head_.load(order::relaxed);
    do {
      last->set_next(before);
    } while (!head_.compare_exchange_weak(before, first, order::seq_cst, order::relaxed));
  }

  Block* take_all() noexcept { return head_.exchange(nullptr, order::acquire); }

 private:
  atomic<Block*> head_{nullptr};
};

// Heaps that lie `Stride` bytes apart have places of their own.
template <class Heap, class Block, std::size_t Count, std::size_t Stride>
struct remote_batches {
  // The place of the heap's batch; the batch there may be for another heap.
  MALLARD_ALWAYS_INLINE remote_batch<Heap, Block>& of(const Heap* heap) noexcept {
    return places[address_of(heap) / Stride % Count];
  }

  std::array<remote_batch<Heap, Block>, Count> places;
};

}  // namespace mallard::inline v1::detail
