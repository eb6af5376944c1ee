// Purpose: allocates nodes of one size from your own pool or a shared one. Boost's containers get
// them in bursts, as from any extended ("version 2") allocator.
//
//   #include <boost/container/list.hpp>
//   mallard::adaptive_pool_resource pool;
//   boost::container::list<int, mallard::adaptive_pool_allocator<int>> mine{&pool};
//   boost::container::list<int, mallard::adaptive_pool_allocator<int>> shared;
//   mine.insert(mine.end(), 1000, 0);
//   std::set<int, std::less<>, mallard::node_allocator<int>> never_gives_back;
//
// Complexity: as adaptive_pool_resource.
// Thread-safety: with your own pool, as that pool. Any thread may use the shared pools; each has a
// lock, unused while the program has one thread. They survive a fork.
//
// Source of the idea: the adaptive pools and node allocators of Boost.Container (Gaztañaga).
#pragma once

#include <cstddef>
#include <mutex>
#include <new>
#include <type_traits>

#include "mallard/adaptive_pool.hpp"
#include "mallard/detail/os/threads.hpp"
#include "mallard/detail/resources/fork_locks.hpp"
#include "mallard/extended_allocator.hpp"

namespace mallard::inline v1 {

namespace detail {

// One pool for all containers with nodes of one size. Never destroyed, since static containers may
// outlive everything.
template <std::size_t Bytes, std::size_t Alignment, std::size_t BlocksPerSlab,
          std::size_t EmptySlabsKept, unsigned OverheadPercent>
struct shared_pool {
  fork_lock lock;
  adaptive_pool_resource pool{adaptive_pool_options{.block_bytes = Bytes,
                                                    .alignment = Alignment,
                                                    .empty_slabs_kept = EmptySlabsKept,
                                                    .blocks_per_slab = BlocksPerSlab,
                                                    .overhead_percent = OverheadPercent}};

  static shared_pool& instance() noexcept {
    alignas(shared_pool) static constinit std::byte storage[sizeof(shared_pool)]{};
    static constinit shared_object object;
    return object.get<shared_pool, make>(storage);
  }

 private:
  static fork_lock& make(void* storage) { return (::new (storage) shared_pool)->lock; }
};

}  // namespace detail

// `BlocksPerSlab`, `EmptySlabsKept` and `OverheadPercent` are those of the shared pool. To make a
// pool of your own like it, pass it `options()`.
template <class T, std::size_t BlocksPerSlab = 256, std::size_t EmptySlabsKept = 2,
          unsigned OverheadPercent = 2>
class adaptive_pool_allocator
    : public extended_allocator<
          adaptive_pool_allocator<T, BlocksPerSlab, EmptySlabsKept, OverheadPercent>, T> {
  using base = extended_allocator<adaptive_pool_allocator, T>;
  friend base;
  using base::node_bytes;

 public:
  using resource_type = adaptive_pool_resource;
  using version = std::integral_constant<unsigned, 2>;
  static constexpr bool has_default_resource = true;  // the shared pool
  template <class U>
  struct rebind {
    using other = adaptive_pool_allocator<U, BlocksPerSlab, EmptySlabsKept, OverheadPercent>;
  };

  // Uses the shared pool of this node size.
  adaptive_pool_allocator() noexcept = default;
  // `pool` must outlive every container that got this allocator or a copy of it.
  adaptive_pool_allocator(adaptive_pool_resource* pool) noexcept  // NOLINT: implicit, as in pmr
      : pool_(pool) {}
  adaptive_pool_allocator(adaptive_pool_resource& pool) noexcept  // NOLINT: implicit, as the other
      : pool_(&pool) {}
  template <class U>
  adaptive_pool_allocator(const adaptive_pool_allocator<U, BlocksPerSlab, EmptySlabsKept,
                                                        OverheadPercent>& other) noexcept
      : pool_(other.resource()) {}

  static constexpr adaptive_pool_options options() noexcept {
    return {.block_bytes = node_bytes,
            .alignment = alignof(T),
            .empty_slabs_kept = EmptySlabsKept,
            .blocks_per_slab = BlocksPerSlab,
            .overhead_percent = OverheadPercent};
  }

  // Effects: allocates room for `n` objects: a node for one, else an array, which the pool serves
  // as another size. Arrays never grow in place: `allocation_command` can only make new ones.
  // Errors: `std::bad_array_new_length` if their size does not fit, or what the pool throws.
  [[nodiscard]] T* allocate(std::size_t n) {
    if (n <= 1) return base::allocate_one();
    return static_cast<T*>(with_nodes(
        [&](adaptive_pool_resource& p) { return p.allocate(base::bytes_of(n), alignof(T)); }));
  }
  void deallocate(T* block, std::size_t n) noexcept {
    if (n <= 1) return base::deallocate_one(block);
    with_nodes([&](adaptive_pool_resource& p) { p.deallocate(block, n * sizeof(T), alignof(T)); });
  }

  adaptive_pool_resource* resource() const noexcept { return pool_; }  // null: the shared one

  template <class U>
  bool operator==(const adaptive_pool_allocator<U, BlocksPerSlab, EmptySlabsKept, OverheadPercent>&
                      other) const noexcept {
    return pool_ == other.resource();
  }

 private:
  template <class Do>
  auto with_nodes(Do&& what) const {
    if (pool_ != nullptr) return what(*pool_);
    // Named here, not in the class: some containers name the allocator of void.
    auto& all = detail::shared_pool<node_bytes, alignof(T), BlocksPerSlab, EmptySlabsKept,
                                    OverheadPercent>::instance();
    std::unique_lock hold(all.lock.mutex, std::defer_lock);
    if (!detail::os::is_single_threaded()) hold.lock();
    return what(all.pool);
  }

  T* try_allocate(std::size_t n) noexcept {
    if (n > base::max_count) return nullptr;
    const std::size_t bytes = n <= 1 ? node_bytes : n * sizeof(T);
    return static_cast<T*>(
        with_nodes([&](adaptive_pool_resource& p) { return p.try_allocate(bytes, alignof(T)); }));
  }

  T* try_command(unsigned command, std::size_t limit, std::size_t& count, T*& reuse) noexcept {
    if ((command & detail::new_flag) != 0) {
      for (const std::size_t n : {detail::larger(count, limit), limit}) {  // with fewer, maybe
        T* const made = try_allocate(n);
        if (made == nullptr) continue;
        count = n;
        reuse = nullptr;
        return made;
      }
    }
    count = limit;
    return nullptr;
  }

  adaptive_pool_resource* pool_ = nullptr;
};

// Simple segregated storage: as above, but a shared pool keeps all memory that it ever got. Meant
// for comparison; a program whose containers shrink is better off with the adaptive pool.
template <class T, std::size_t BlocksPerSlab = 256>
using node_allocator = adaptive_pool_allocator<T, BlocksPerSlab, detail::keep_every_slab, 0>;

}  // namespace mallard::inline v1
