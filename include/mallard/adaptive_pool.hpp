// Purpose: blocks of one size, for node containers; memory of empty slabs goes back to upstream.
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
#include "mallard/resource_ref.hpp"

namespace mallard::inline v1 {

class multipool_resource;

struct adaptive_pool_options {
  std::size_t block_bytes = 0;  // 0: of the first request, or of a much smaller one right after it
  std::size_t alignment = alignof(std::max_align_t);  // of a power of two; 0: the same
  std::size_t empty_slabs_kept = 3;                   // as in multipool_options
  // Slabs grow to hold so many blocks, with so little beside them, as far as their bitmaps can: to
  // 64 KiB for blocks of 24 bytes, 256 KiB for blocks of 64.
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

// A request takes a block if it fits and, rounded up to 8 bytes, needs more than half of it; it is
// fastest with exactly `block_bytes`. All other sizes come from a multipool, which is made at the
// first of them: they cost what they cost there, and a call. It takes 1.5 KiB from upstream.
//
// A block size that is left open is that of the first request, unless one of half of it or less
// comes before the first one of about its size: so a hash table that reserves its buckets first
// does not make the pool one of tables. Source of the idea: the adaptive pools of Gaztañaga.
class MALLARD_API adaptive_pool_resource final : public std::pmr::memory_resource {
 public:
  static constexpr std::size_t largest_pooled_bytes = detail::largest_block_bytes;

  // Nothing is allocated before the first request. `upstream` must outlive the resource. Over an
  // arena, which takes nothing back, every empty slab is kept for reuse.
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

  // Effects: returns a block of at least `bytes` bytes aligned to `alignment` (a power of two);
  // never null, distinct for every live block, also for 0 bytes.
  // Errors: throws `std::bad_alloc` or what upstream throws, leaving the resource as it was.
  MALLARD_ALWAYS_INLINE void* allocate(std::size_t bytes,
                                       std::size_t alignment = alignof(std::max_align_t)) {
    MALLARD_ASSERT(detail::is_power_of_two(alignment));
    if (!is_usual(bytes, alignment)) [[unlikely]] {
      return allocate_unusual(bytes, alignment);
    }
    if (pool_.free_slots == 0) [[unlikely]] {
      slabs_.refill(pool_, 0);
    }
    void* const p = detail::take_slot(pool_, step_.block_bytes);
    detail::hand_out(p, bytes);
    return p;
  }

  // Effects: as `allocate`, but returns null where that throws.
  void* try_allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: takes back a block of this resource; `bytes` and `alignment` as it was allocated.
  MALLARD_ALWAYS_INLINE void deallocate(
      void* p, std::size_t bytes, std::size_t alignment = alignof(std::max_align_t)) noexcept {
    if (!is_usual(bytes, alignment)) [[unlikely]] {
      return deallocate_unusual(p, bytes, alignment);
    }
    give(p);
  }

  // Effects: fills `blocks` with `count` blocks of `bytes` bytes each, in address order as far as
  // they come from one slab; each may be given back alone. All or nothing.
  // Errors: as `allocate`; `std::bad_array_new_length` when no machine has so many bytes, before
  // any block is taken.
  void allocate_many(void** blocks, std::size_t count, std::size_t bytes,
                     std::size_t alignment = alignof(std::max_align_t));

  // Effects: the same, linked by their first words: `bytes` is at least the size of a pointer.
  // Errors: the same.
  block_chain allocate_many(std::size_t count, std::size_t bytes,
                            std::size_t alignment = alignof(std::max_align_t)) {
    return block_chain::of(allocate_linked(count, bytes, alignment), count);
  }
  void deallocate_many(block_chain chain, std::size_t bytes,
                       std::size_t alignment = alignof(std::max_align_t)) noexcept {
    deallocate_linked(chain.front(), chain.size(), bytes, alignment);
  }

  // Effects: gives back `count` blocks that were allocated with this size and alignment.
  void deallocate_many(void* const* blocks, std::size_t count, std::size_t bytes,
                       std::size_t alignment = alignof(std::max_align_t)) noexcept;

  // Effects: gives everything back to upstream, also the blocks still in use. A block size that the
  // first request fixed is open again.
  void release() noexcept;

  // Effects: gives back to upstream every empty slab, the reserve included, and the multipool of
  // other sizes once it has no block in use. Returns the bytes.
  std::size_t trim() noexcept;

  // Whether the byte at `p` is in memory that the resource allocates from. O(slabs + blocks larger
  // than any pool's).
  bool owns(const void* p) const noexcept;

  // O(slabs).
  adaptive_pool_stats stats() const noexcept;
  adaptive_pool_options options() const noexcept { return options_; }
  std::pmr::memory_resource* upstream_resource() const noexcept {
    return slabs_.upstream_resource();
  }

 private:
  // Whether the request is the one that the hot paths are for.
  bool is_usual(std::size_t bytes, std::size_t alignment) const noexcept {
    return bytes == usual_bytes_ && alignment <= usual_alignment_;
  }
  MALLARD_ALWAYS_INLINE void give(void* p) noexcept {
    MALLARD_AUDIT(slabs_.owns(p, 0) && "a block of another resource, or of another size");
    detail::poison(p, layout_.block_bytes);
    detail::slab_set::give(pool_, layout_, step_, p);
  }
  detail::chain_ends allocate_linked(std::size_t count, std::size_t bytes, std::size_t alignment);
  void deallocate_linked(void* first, std::size_t count, std::size_t bytes,
                         std::size_t alignment) noexcept;

  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* p, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }

  // A slab of the layout that was tried first, with one block in use; written over its header.
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
  void fix_block() noexcept;
  void leave_layout() noexcept;
  bool give_former(void* p) noexcept;
  void drop_formers() noexcept;
  void* take(std::size_t bytes);
  void* allocate_unusual(std::size_t bytes, std::size_t alignment);
  void deallocate_unusual(void* p, std::size_t bytes, std::size_t alignment) noexcept;
  MALLARD_COLD void* allocate_while_open(std::size_t bytes, std::size_t alignment);
  MALLARD_COLD void deallocate_while_open(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept;
  MALLARD_COLD void* allocate_first_other(std::size_t bytes, std::size_t alignment);
  void* allocate_other(std::size_t bytes, std::size_t alignment);
  void give_other(void* p, std::size_t bytes, std::size_t alignment) noexcept;
  void drop_others() noexcept;

  adaptive_pool_options options_;
  bool fixed_ = false;  // else the block size is open, though a layout may be tried
  bool upstream_ignores_ = false;
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
