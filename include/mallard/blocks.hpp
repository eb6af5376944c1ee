// Purpose: what verbs give that hand out more than an address: a block with its real size, and a
// chain of blocks.
//
//   mallard::heap_resource heap;
//   mallard::block_chain nodes = heap.allocate_many(100, 24);
//   void* node = nodes.pop_front();  // each may also be given back alone
//   heap.deallocate(node, 24);
//   heap.deallocate_many(nodes, 24);
//
// Complexity: O(1). Thread-safety: as any value; the blocks are their user's.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

struct sized_block {
  void* p;
  std::size_t bytes;  // maybe more than what was asked for
};

namespace detail {

// The ends of a chain: a function passes them on in registers, which it cannot do with a chain.
struct chain_ends {
  void* first = nullptr;  // null: there are no blocks
  void* last = nullptr;
};

}  // namespace detail

// Free blocks, linked by their first words. Every block has room for a pointer. The chain does not
// own them; copies share them.
class block_chain {
 public:
  constexpr block_chain() noexcept = default;
  // Blocks that are linked already.
  static block_chain of(void* first, void* last, std::size_t size) noexcept {
    block_chain chain;
    chain.first_ = first;
    chain.last_ = last;
    chain.size_ = size;
    return chain;
  }
  static block_chain of(detail::chain_ends ends, std::size_t size) noexcept {
    return of(ends.first, ends.last, ends.first == nullptr ? 0 : size);
  }

  bool empty() const noexcept { return size_ == 0; }
  std::size_t size() const noexcept { return size_; }
  void* front() const noexcept { return first_; }
  void* back() const noexcept { return last_; }  // requires that it is not empty
  static void* next(void* block) noexcept { return *static_cast<void**>(block); }

  // Requires that the block is not linked anywhere. O(1).
  void push_back(void* block) noexcept {
    *static_cast<void**>(block) = nullptr;
    if (size_++ == 0) {
      first_ = block;
    } else {
      *static_cast<void**>(last_) = block;
    }
    last_ = block;
  }

  // Requires that the chain is not empty. O(1).
  void* pop_front() noexcept {
    void* const block = first_;
    first_ = next(block);
    --size_;
    return block;
  }

 private:
  void* first_ = nullptr;
  void* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mallard::inline v1
