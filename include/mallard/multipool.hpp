// Purpose: one pool per size class over aligned slabs; the default choice for many small blocks.
//
//   mallard::multipool_resource pool;
//   std::unordered_set<int, std::hash<int>, std::equal_to<>,
//                      mallard::allocator<int, mallard::multipool_resource>> ids{&pool};
//   ids.insert(42);
//
// Complexity: allocate and deallocate O(1), amortised where a slab changes. Blocks above
// `largest_pooled_bytes` come from upstream: O(1) plus what upstream takes.
// Thread-safety: none; one thread at a time per resource.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/class_pools.hpp"
#include "mallard/detail/core/size_classes.hpp"
#include "mallard/detail/resources/lone_blocks.hpp"
#include "mallard/detail/resources/oversize_list.hpp"
#include "mallard/page_source.hpp"
#include "mallard/pools.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

namespace detail {

// The largest number of blocks in a slab, and the largest block from one.
inline std::pmr::pool_options actual_pool_options() noexcept {
  std::pmr::pool_options out;
  out.max_blocks_per_chunk = class_layouts[0].end_slot - class_layouts[0].first_slot;
  out.largest_required_pool_block = largest_block_bytes;
  return out;
}

}  // namespace detail

struct multipool_options {
  // Empty slabs that a pool keeps: its current one; the others in a reserve shared by all pools.
  std::size_t empty_slabs_kept = 3;

  // As std's pools report theirs: the values that really hold.
  operator std::pmr::pool_options() const noexcept { return detail::actual_pool_options(); }
};

// std's options, so that `{64, 1024}` and a std::pmr::pool_options may be passed. They have no
// effect: slabs have their own sizes, and every block up to `largest_pooled_bytes` is pooled.
class pool_hints {
 public:
  pool_hints(const std::pmr::pool_options&) noexcept {}  // NOLINT: implicit, to be passed on
  pool_hints(std::size_t /*max_blocks_per_chunk*/,
             std::size_t /*largest_required_pool_block*/) noexcept {}
};

struct multipool_stats {
  std::size_t in_use_bytes = 0;    // of blocks in use, rounded up to their size classes
  std::size_t reserved_bytes = 0;  // held from upstream
  std::size_t slabs = 0;
  std::size_t empty_slabs = 0;
  std::size_t oversize_blocks = 0;  // above `largest_pooled_bytes`
};

// Adaptive pools of slabs: empty slabs go back to upstream, addresses are handed out in order, and
// free blocks are never written to.
class MALLARD_API multipool_resource
    : public pool_verbs<multipool_resource, detail::growing_class_pools, multipool_options> {
  friend pool_verbs;

 public:
  // The base's constructors, and one that takes std's options and ignores them.
  using pool_verbs::pool_verbs;
  multipool_resource() noexcept = default;
  explicit multipool_resource(pool_hints, upstream_ref upstream = page_source::instance()) noexcept
      : pool_verbs(upstream) {}

  ~multipool_resource() override {
    pools_.release(upstream_ignores_);
    give_back_large();
  }

  // Effects: returns all memory to upstream, including blocks in use; the resource is as new.
  // O(slabs + oversize blocks); over an arena O(oversize blocks).
  void release() noexcept;

  // Effects: returns every empty slab to upstream, including the reserve. Returns the bytes.
  std::size_t trim() noexcept { return pools_.trim() + lones_.trim(*upstream_resource()); }

  // Returns: whether the byte at `p` is in memory that the resource allocates from. O(slabs +
  // oversize blocks).
  bool owns(const void* p) const noexcept {
    return pools_.owns(p) || lones_.owns(p) || oversize_.owns(p);
  }

  // O(slabs).
  multipool_stats stats() const noexcept;

 private:
  void give_back_large() noexcept;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  void* allocate_beyond_table(std::size_t bytes, std::size_t alignment);
  void deallocate_beyond_table(void* p, std::size_t bytes, std::size_t alignment) noexcept;

  detail::lone_blocks lones_;
  detail::oversize_list oversize_;
};

}  // namespace mallard::inline v1
