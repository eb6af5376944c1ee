// Purpose: results that are more than an address: a block with its real size, a chain of blocks.
//
//   mallard::heap_resource heap;
//   mallard::block_chain nodes = heap.allocate_many(100, 24);
//   void* node = nodes.pop_front();  // each block may also be freed on its own
//   heap.deallocate(node, 24);
//   heap.deallocate_many(nodes, 24);
//
// Complexity: O(1). Thread-safety: as any value; the blocks belong to their user.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1 {

struct sized_block {
  void* p;
  std::size_t bytes;  // may be more than requested
};

namespace detail {

// The ends of a chain. Functions pass them in registers, which they cannot do with a chain.
struct chain_ends {
  void* first = nullptr;  // null: there are no blocks
  void* last = nullptr;
};

}  // namespace detail

// Free blocks, linked by their first words, so each has room for a pointer. The chain does not own
// them; copies share them.
class block_chain {
 public:
  constexpr block_chain() noexcept = default;
  // Returns: a chain of blocks that are linked already.
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

  // Requires: the block is in no chain. O(1).
  void push_back(void* block) noexcept {
    *static_cast<void**>(block) = nullptr;
    if (size_++ == 0) {
      first_ = block;
    } else {
      *static_cast<void**>(last_) = block;
    }
    last_ = block;
  }

  // Requires: the chain is not empty. O(1).
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
