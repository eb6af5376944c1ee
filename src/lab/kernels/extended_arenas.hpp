// Allocators for the benches of extended allocators that need no Boost. Each arena has
// `make_allocator<T>()`; `capable_of`, the array commands of its allocators; and `account`, the
// memory held for a container of nodes, if known.
#pragma once

#include <memory>
#include <memory_resource>
#include <optional>

#include "lab/kernels/counting.hpp"
#include "lab/kernels/memory_account.hpp"
#include "mallard/adaptive_pool_allocator.hpp"
#include "mallard/expandable_allocator.hpp"
#include "mallard/page_source.hpp"

namespace mallard::lab {

// For allocators that cannot resize arrays and cannot be queried.
struct plain_arena {
  static constexpr unsigned capable_of = 0;
  template <class Container>
  std::optional<memory_account> account(const Container&) const {
    return std::nullopt;
  }
};

// "std": the global heap.
struct std_arena : plain_arena {
  template <class T>
  std::allocator<T> make_allocator() {
    return {};
  }
};

// "pool": std's pool through polymorphic_allocator.
class std_pool_arena : public plain_arena {
 public:
  template <class T>
  std::pmr::polymorphic_allocator<T> make_allocator() {
    return &pool_;
  }

 private:
  std::pmr::unsynchronized_pool_resource pool_;
};

inline std::uint64_t held_from_system() {
  return page_source::instance()->stats().mapped_bytes;
}

// "v1", "v2" and those in between: a heap of its own, with some of the allocators' abilities.
template <without Mask>
class heap_arena {
 public:
  static constexpr unsigned capable_of =
      (Mask & without::version_2)
          ? 0
          : ((Mask & without::forward) ? 0 : forward_command) |
                ((Mask & without::backward) ? 0 : backward_command) | shrink_command;

  template <class T>
  expandable_allocator<T, heap_resource, Mask> make_allocator() {
    return &heap_;
  }
  template <class Container>
  std::optional<memory_account> account(const Container&) const {
    return memory_account{heap_.stats().reserved_bytes, held_from_system()};
  }

 private:
  heap_resource heap_;
};

inline memory_account account_of(const adaptive_pool_resource& pool) {
  return {pool.stats().reserved_bytes, held_from_system()};
}

// "adaptive" and "node": the pool shared by all containers with nodes of one size.
template <template <class> class Allocator>
class shared_pool_arena {
 public:
  static constexpr unsigned capable_of = 0;

  template <class T>
  Allocator<T> make_allocator() {
    return {};
  }
  template <class Container>
  std::optional<memory_account> account(const Container& container) const {
    return account_of_shared(container.get_stored_allocator());
  }

 private:
  template <class Node, std::size_t BlocksPerSlab, std::size_t EmptySlabsKept, unsigned Overhead>
  static memory_account account_of_shared(
      const adaptive_pool_allocator<Node, BlocksPerSlab, EmptySlabsKept, Overhead>&) {
    return account_of(detail::shared_pool<sizeof(Node), alignof(Node), BlocksPerSlab,
                                          EmptySlabsKept, Overhead>::instance()
                          .pool);
  }
};

template <class T>
using adaptive_allocator = adaptive_pool_allocator<T>;
template <class T>
using segregated_allocator = node_allocator<T>;

// "own-adaptive": a pool of its own, without a lock; the first node sets the size.
class own_pool_arena {
 public:
  static constexpr unsigned capable_of = 0;

  template <class T>
  adaptive_pool_allocator<T> make_allocator() {
    return &pool_;
  }
  template <class Container>
  std::optional<memory_account> account(const Container&) const {
    return account_of(pool_);
  }

 private:
  static adaptive_pool_options options() {
    adaptive_pool_options chosen = adaptive_pool_allocator<void*>::options();
    chosen.block_bytes = 0;
    return chosen;
  }

  adaptive_pool_resource pool_{options()};
};

}  // namespace mallard::lab
