// Purpose: the calls that the extended ("version 2") allocators share: single nodes, chains of
// nodes, and one call for arrays. Boost.Container's containers use them; so may any other.
//
//   mallard::heap_resource heap;
//   mallard::expandable_allocator<int> ints(&heap);
//   mallard::expandable_allocator<int>::multiallocation_chain nodes;
//   ints.allocate_individual(100, nodes);
//   ints.deallocate_individual(nodes);
//
// Complexity and thread-safety: as the resources.
//
// Source: Gaztañaga's extended allocators (N2045, Boost.Container).
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>

#include "mallard/blocks.hpp"
#include "mallard/detail/bindings/node_chain.hpp"
#include "mallard/detail/failure.hpp"

namespace mallard::inline v1 {

namespace detail {

// The values of Boost's `allocation_type`.
enum allocation_flag : unsigned {
  new_flag = 1,
  forward_flag = 2,
  backward_flag = 4,
  shrink_flag = 8,
  nothrow_flag = 16,
  try_shrink_flag = 64,
};

}  // namespace detail

// The base of these allocators. `Derived` has `with_nodes(what)`, which calls `what` with the
// resource of the nodes, and `try_command`: `allocation_command` that returns null for every
// failure.
template <class Derived, class T>
class extended_allocator {
 public:
  using value_type = T;
  using pointer = T*;
  using size_type = std::size_t;
  using multiallocation_chain = detail::node_chain<T>;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;

  // Single nodes and chains of them. Only these functions free each other's nodes.
  [[nodiscard]] T* allocate_one() {
    return static_cast<T*>(derived().with_nodes(
        [](auto& nodes) { return nodes.allocate(node_bytes, node_alignment); }));
  }
  void deallocate_one(T* node) noexcept {
    derived().with_nodes([&](auto& nodes) { nodes.deallocate(node, node_bytes, node_alignment); });
  }

  // Effects: appends `n` nodes to `chain`, all or none.
  void allocate_individual(std::size_t n, multiallocation_chain& chain) {
    multiallocation_chain more(derived().with_nodes(
        [&](auto& nodes) { return nodes.allocate_many(n, node_bytes, node_alignment); }));
    chain.splice_after(chain.last(), more);
  }
  // Effects: frees all nodes of `chain`, which may be empty; it is empty afterwards.
  void deallocate_individual(multiallocation_chain& chain) noexcept {
    const block_chain blocks = chain.extract_blocks();
    derived().with_nodes(
        [&](auto& nodes) { nodes.deallocate_many(blocks, node_bytes, node_alignment); });
  }

  // Effects: Boost's one call for arrays. `command` is a set of its flags; counts are in objects.
  // In: `count` is preferred, `limit` the minimum (the maximum when shrinking), `reuse` the present
  // array or null. Out: `count` is the array's, or, after a failure, a count that might be
  // possible; `reuse` is null if the returned array is new.
  // Errors: null with the flag for it, else std::bad_alloc. Then nothing has changed.
  T* allocation_command(unsigned command, std::size_t limit, std::size_t& count, T*& reuse) {
    T* const p = derived().try_command(command, limit, count, reuse);
    if (p == nullptr && (command & detail::nothrow_flag) == 0) detail::fail_allocation();
    return p;
  }

  std::size_t max_size() const noexcept { return max_count; }

 protected:
  // A free node holds its link.
  static constexpr std::size_t node_bytes = sizeof(T) < sizeof(void*) ? sizeof(void*) : sizeof(T);
  static constexpr std::size_t node_alignment = alignof(T);
  static constexpr std::size_t max_count = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);

  static std::size_t bytes_of(std::size_t n) {
    if (n > max_count) detail::fail_array_length();
    return n * sizeof(T);
  }

 private:
  Derived& derived() noexcept { return static_cast<Derived&>(*this); }
};

}  // namespace mallard::inline v1
