// Purpose: nodes of one size for containers, from a pool of your own or one that all share; in
// bursts for Boost's containers, which see an extended ("version 2") allocator.
//
//   mallard::adaptive_pool_resource pool;
//   boost::container::list<int, mallard::adaptive_pool_allocator<int>> mine{&pool};
//   boost::container::list<int, mallard::adaptive_pool_allocator<int>> shared;
//   mine.insert(mine.end(), 1000, 0);
//   std::set<int, std::less<>, mallard::node_allocator<int>> never_gives_back;
//
// Complexity: as adaptive_pool_resource. Thread-safety: as it with a pool of your own; the shared
// pools may be used by any thread, under a lock each.
//
// Source of the idea: the adaptive pools and node allocators of Boost.Container (Gaztañaga).
#pragma once

#include <cstddef>
#include <limits>
#include <mutex>
#include <new>
#include <type_traits>

#include "mallard/adaptive_pool.hpp"
#include "mallard/detail/bindings/node_chain.hpp"

namespace mallard::inline v1 {

namespace detail {

// One pool for all containers of nodes of one size, never destroyed: static containers may outlive
// everything.
template <std::size_t Bytes, std::size_t Alignment, std::size_t BlocksPerSlab,
          std::size_t EmptySlabsKept, unsigned OverheadPercent>
struct shared_pool {
  std::mutex lock;
  adaptive_pool_resource pool{adaptive_pool_options{.block_bytes = Bytes,
                                                    .alignment = Alignment,
                                                    .empty_slabs_kept = EmptySlabsKept,
                                                    .blocks_per_slab = BlocksPerSlab,
                                                    .overhead_percent = OverheadPercent}};

  static shared_pool& instance() {
    alignas(shared_pool) static std::byte storage[sizeof(shared_pool)];
    static shared_pool* const made = ::new (storage) shared_pool;
    return *made;
  }
};

}  // namespace detail

// `NodesPerBlock`, `MaxFreeBlocks` and `OverheadPercent` are those of the shared pool; a pool of
// your own is made with the options it should have (`options()` has these).
template <class T, std::size_t NodesPerBlock = 256, std::size_t MaxFreeBlocks = 2,
          unsigned OverheadPercent = 2>
class adaptive_pool_allocator {
  // A free node holds its link.
  static constexpr std::size_t node_bytes = sizeof(T) < sizeof(void*) ? sizeof(void*) : sizeof(T);
  using shared =
      detail::shared_pool<node_bytes, alignof(T), NodesPerBlock, MaxFreeBlocks, OverheadPercent>;

 public:
  using value_type = T;
  using pointer = T*;
  using size_type = std::size_t;
  using version = std::integral_constant<unsigned, 2>;
  using multiallocation_chain = detail::node_chain<T>;
  using propagate_on_container_copy_assignment = std::false_type;
  using propagate_on_container_move_assignment = std::false_type;
  using propagate_on_container_swap = std::false_type;
  using is_always_equal = std::false_type;
  template <class U>
  struct rebind {
    using other = adaptive_pool_allocator<U, NodesPerBlock, MaxFreeBlocks, OverheadPercent>;
  };

  // The shared pool of this node size.
  adaptive_pool_allocator() noexcept = default;
  // `pool` must outlive every container that got this allocator or a copy of it.
  adaptive_pool_allocator(adaptive_pool_resource* pool) noexcept  // NOLINT: implicit, as in pmr
      : pool_(pool) {}
  template <class U>
  adaptive_pool_allocator(const adaptive_pool_allocator<U, NodesPerBlock, MaxFreeBlocks,
                                                        OverheadPercent>& other) noexcept
      : pool_(other.pool()) {}

  static constexpr adaptive_pool_options options() noexcept {
    return {.block_bytes = node_bytes,
            .alignment = alignof(T),
            .empty_slabs_kept = MaxFreeBlocks,
            .blocks_per_slab = NodesPerBlock,
            .overhead_percent = OverheadPercent};
  }

  // Effects: room for `n` objects; one has a node, more come from the pool's upstream.
  // Errors: `std::bad_array_new_length` when their size does not fit, or what the pool throws.
  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > max_count) throw std::bad_array_new_length();
    return static_cast<T*>(
        with_pool([&](adaptive_pool_resource& p) { return p.allocate(bytes_of(n), alignof(T)); }));
  }
  void deallocate(T* block, std::size_t n) noexcept {
    with_pool([&](adaptive_pool_resource& p) { p.deallocate(block, bytes_of(n), alignof(T)); });
  }
  [[nodiscard]] T* allocate_one() { return allocate(1); }
  void deallocate_one(T* node) noexcept { deallocate(node, 1); }

  // Effects: appends `n` nodes to `chain`. All or none.
  void allocate_individual(std::size_t n, multiallocation_chain& chain) {
    multiallocation_chain more(with_pool(
        [&](adaptive_pool_resource& p) { return p.allocate_many(n, node_bytes, alignof(T)); }));
    chain.splice_after(chain.last(), more);
  }
  // Effects: gives the nodes of a chain back, maybe of an empty one; it is empty then.
  void deallocate_individual(multiallocation_chain& chain) noexcept {
    const block_chain blocks = chain.extract_blocks();
    with_pool(
        [&](adaptive_pool_resource& p) { p.deallocate_many(blocks, node_bytes, alignof(T)); });
  }

  // Arrays are none of its business: they are allocated as asked for and never grow in place. See
  // expandable_allocator for what the arguments mean.
  T* allocation_command(unsigned command, std::size_t limit, std::size_t& count, T*& reuse) {
    constexpr unsigned new_flag = 1;
    constexpr unsigned nothrow_flag = 16;
    if ((command & new_flag) != 0) {
      try {
        T* const made = allocate(count);
        reuse = nullptr;
        return made;
      } catch (...) {
        if ((command & nothrow_flag) == 0) throw;
      }
    }
    count = limit;
    if ((command & nothrow_flag) == 0) throw std::bad_alloc();
    return nullptr;
  }

  adaptive_pool_resource* pool() const noexcept { return pool_; }  // null: the shared one
  std::size_t max_size() const noexcept { return max_count; }

  template <class U>
  bool operator==(const adaptive_pool_allocator<U, NodesPerBlock, MaxFreeBlocks, OverheadPercent>&
                      other) const noexcept {
    return pool_ == other.pool();
  }

 private:
  static constexpr std::size_t max_count = std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T);
  static constexpr std::size_t bytes_of(std::size_t n) noexcept {
    return n <= 1 ? node_bytes : n * sizeof(T);
  }

  template <class Do>
  auto with_pool(Do&& what) const {
    if (pool_ != nullptr) return what(*pool_);
    shared& all = shared::instance();
    const std::lock_guard hold(all.lock);
    return what(all.pool);
  }

  adaptive_pool_resource* pool_ = nullptr;
};

// Simple segregated storage: the same, but what a shared pool has once got it keeps. For
// comparison; a program whose containers shrink is better off with the adaptive pool.
template <class T, std::size_t NodesPerBlock = 256>
using node_allocator = adaptive_pool_allocator<T, NodesPerBlock, detail::keep_every_slab, 0>;

}  // namespace mallard::inline v1
