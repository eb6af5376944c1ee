// Purpose: a pool of blocks of one size, for node containers; empty slabs go back to upstream.
//
//   mallard::adaptive_pool_resource pool{{.block_bytes = 24, .alignment = 8}};
//   std::list<int, mallard::allocator<int, mallard::adaptive_pool_resource>> numbers{&pool};
//   numbers.assign({3, 1, 2});
//   numbers.clear();
//   std::size_t given_back_bytes = pool.trim();
//
// Complexity: allocate and deallocate O(1), amortised where a slab changes.
// Thread-safety: none; one thread at a time per resource.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/blocks.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/slab_layout.hpp"
#include "mallard/detail/core/slab_set.hpp"
#include "mallard/page_source.hpp"
#include "mallard/pools.hpp"
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

class multipool_resource;

struct adaptive_pool_options {
  std::size_t block_bytes = 0;  // 0: set by the first requests, see adaptive_pool_resource
  std::size_t alignment = alignof(std::max_align_t);  // a power of two; 0: that of std::max_align_t
  std::size_t empty_slabs_kept = 3;                   // as in multipool_options
  // A slab grows until it holds this many blocks within `overhead_percent`, or its bitmap can hold
  // no more: 64 KiB for blocks of 24 bytes, 256 KiB for blocks of 64.
  std::size_t blocks_per_slab = 0;
  unsigned overhead_percent = 0;  // 0: about 2
};

struct adaptive_pool_stats {
  std::size_t block_bytes = 0;  // of a slot: the size rounded up to its alignment
  std::size_t in_use_blocks = 0;
  std::size_t reserved_bytes = 0;  // held from upstream, for other sizes too
  std::size_t slabs = 0;           // of the block size, as are `empty_slabs`
  std::size_t empty_slabs = 0;
  std::size_t oversize_blocks = 0;  // in use, of other sizes
};

// A request takes a pooled block if it fits and needs more than half of it, rounded up to 8 bytes.
// Requests of exactly `block_bytes` are fastest. Other sizes cost a call more than in the multipool
// that serves them. The first such request makes it, in 1.5 KiB from upstream.
//
// If `block_bytes` is 0, the first request sets the block size. A request of half of it or less
// replaces it, until one of about its size comes: a hash table may reserve its buckets first.
// Source of the idea: the adaptive pools of Gaztañaga.
class MALLARD_API adaptive_pool_resource final : public std::pmr::memory_resource,
                                                 public burst_verbs<adaptive_pool_resource> {
  friend burst_verbs;

 public:
  static constexpr std::size_t largest_pooled_bytes = detail::largest_block_bytes;

  // Allocates nothing before the first request. `upstream` must outlive the resource. Over an
  // arena, whose deallocate does nothing, the resource keeps every empty slab for reuse.
  adaptive_pool_resource() noexcept : adaptive_pool_resource(adaptive_pool_options{}) {}
  explicit adaptive_pool_resource(upstream_ref upstream) noexcept
      : adaptive_pool_resource(adaptive_pool_options{}, upstream) {}
  explicit adaptive_pool_resource(adaptive_pool_options options,
                                  upstream_ref upstream = page_source::instance()) noexcept
      : options_(detail::options_over(options, upstream.takes_back())),
        upstream_ignores_(!upstream.takes_back()),
        slabs_(&layout_, upstream.get(), detail::reserve_of(options_.empty_slabs_kept)) {
    if (options.block_bytes != 0) {
      choose_layout(options.block_bytes, options.alignment);
      fix_block();
    }
  }

  adaptive_pool_resource(const adaptive_pool_resource&) = delete;
  adaptive_pool_resource& operator=(const adaptive_pool_resource&) = delete;
  ~adaptive_pool_resource() override { release(); }

  // Effects: allocates at least `bytes` bytes, aligned to `alignment` (a power of two).
  // Returns: the block, never null. Live blocks are distinct, also those of 0 bytes.
  // Errors: throws `std::bad_alloc` or what upstream throws; the resource stays as it was.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    MALLARD_ASSERT(detail::is_power_of_two(alignment));
    if (!is_usual(bytes, alignment)) [[unlikely]] {
      return allocate_unusual(bytes, alignment);
    }
    if (pool_.free_slots == 0 && !slabs_.advance(pool_, 0)) [[unlikely]] {
      grow();
    }
    void* const p = detail::take_slot(pool_, step_.block_bytes);
    detail::hand_out(p, bytes);
    return p;
  }

  // Effects: as `allocate`, but returns null instead of throwing.
  void* try_allocate(std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t)) noexcept {
    return detail::allocate_or_null(*this, bytes, alignment);
  }

  // Effects: frees a block of this resource; `bytes` and `alignment` are those of its allocation.
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    if (!is_usual(bytes, alignment)) [[unlikely]] {
      return deallocate_unusual(p, bytes, alignment);
    }
    give(p);
  }

  // Effects: fills `blocks` with `count` blocks of `bytes` bytes each, in address order within each
  // slab. All or none. Each block can be freed on its own.
  // Errors: as `allocate`; `std::bad_array_new_length`, before it takes any block, if no machine
  // has so many bytes.
  void allocate_many(void** blocks, std::size_t count, std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t));

  // Chains, too.
  using burst_verbs::allocate_many;
  using burst_verbs::deallocate_many;

  // Effects: frees `count` blocks that were allocated with this size and alignment.
  void deallocate_many(void* const* blocks, std::size_t count, std::size_t bytes,
                       std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: returns all memory to upstream, including blocks in use. A block size that requests
  // set is open again.
  void release() noexcept;

  // Effects: returns every empty slab to upstream, including the reserve, and the multipool of
  // other sizes or, while that has blocks in use, its empty slabs. Returns the bytes.
  std::size_t trim() noexcept;

  // Returns: whether the byte at `p` is in memory that the resource allocates from. O(slabs +
  // blocks too large for a slab).
  bool owns(const void* p) const noexcept;

  // O(slabs).
  adaptive_pool_stats stats() const noexcept;
  adaptive_pool_options options() const noexcept { return options_; }
  std::pmr::memory_resource* upstream_resource() const noexcept {
    return slabs_.upstream_resource();
  }

 private:
  // Whether the request takes the hot path.
  bool is_usual(std::size_t bytes, std::size_t alignment) const noexcept {
    return bytes == usual_bytes_ && alignment <= usual_alignment_;
  }
  MALLARD_ALWAYS_INLINE void give(void* p) noexcept {
    MALLARD_AUDIT(slabs_.owns(p, 0) && "a block of another resource, or of another size");
    detail::poison(p, layout_.block_bytes);
    detail::slab_set::give(pool_, layout_, step_, p);
  }
  block_chain allocate_sizes(const std::size_t* sizes, std::size_t count, std::size_t alignment);
  detail::chain_ends allocate_linked(std::size_t count, std::size_t bytes, std::size_t alignment);
  void deallocate_linked(void* first, std::size_t count, std::size_t bytes,
                         std::size_t alignment) noexcept;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  // A slab of an earlier layout, with one block in use. Written over the slab's header.
  struct former_slab {
    former_slab* next;
    void* block;
    std::size_t bytes;
  };

  void choose_layout(std::size_t bytes, std::size_t alignment) noexcept;
  bool fits_block(std::size_t bytes, std::size_t alignment) const noexcept;
  bool takes_block(std::size_t bytes, std::size_t alignment) const noexcept {
    return fixed_ && (is_usual(bytes, alignment) || fits_block(bytes, alignment));
  }
  bool choose_block(std::size_t bytes, std::size_t alignment) noexcept;
  void forget_layout() noexcept;
  void fix_block() noexcept;
  bool leave_layout() noexcept;
  bool give_former(void* p) noexcept;
  void drop_formers() noexcept;
  bool make_room() noexcept;
  template <class Take>
  auto take_from_slabs(Take take);
  MALLARD_COLD void grow();
  void* take(std::size_t bytes);
  void* allocate_unusual(std::size_t bytes, std::size_t alignment);
  void deallocate_unusual(void* p, std::size_t bytes, std::size_t alignment) noexcept;
  MALLARD_COLD void* allocate_while_open(std::size_t bytes, std::size_t alignment);
  MALLARD_COLD void deallocate_while_open(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept;
  void* take_other(std::size_t bytes, std::size_t alignment);
  MALLARD_COLD void* take_first_other(std::size_t bytes, std::size_t alignment);
  void* allocate_other(std::size_t bytes, std::size_t alignment);
  void give_other(void* p, std::size_t bytes, std::size_t alignment) noexcept;
  void drop_others() noexcept;

  adaptive_pool_options options_;
  bool fixed_ = false;  // else the block size is open, though a layout may be tried
  bool upstream_ignores_ = false;
  bool growing_ = false;  // upstream may be called, so the layout stays
  std::size_t usual_bytes_ = 0;
  std::size_t usual_alignment_ = 0;  // 0: no request is usual
  std::size_t largest_bytes_ = 0;    // that a block has room for; 0: there is no layout
  std::size_t alignment_ = 0;        // of the layout's blocks
  detail::slab_layout layout_;
  detail::slot_step step_;
  detail::slab_pool pool_{};
  detail::resource_slab_set slabs_;
  multipool_resource* others_ = nullptr;  // in memory of upstream; null: no other size has come yet
  std::size_t others_in_use_ = 0;         // blocks
  former_slab* formers_ = nullptr;
};

}  // namespace mallard::inline v1
