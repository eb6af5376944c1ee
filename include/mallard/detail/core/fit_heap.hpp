// Purpose: blocks of any size in segments of memory, split and coalesced, which can grow in place.
//
// Two-level segregated fit (Masmano, Ripoll, Crespo, Real, 2004): free blocks lie in bins by size,
// sixteen for each doubling, and a bitmap over the bins finds a fitting block in O(1). Boundary
// tags (Knuth): a block records its size, and that of the block before it while that one is free.
// So neighbours are joined in O(1), and two free blocks are never neighbours. A block in use costs
// eight bytes. The free block at a segment's end is in no bin and used last, so that a segment
// fills from its start. Not thread-safe.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"

namespace mallard::inline v1::detail {

// Whether a fit_heap knows which of its free memory is zero, and how much is still backed by the
// system's: in an engine that gives memory of large blocks back. Elsewhere no block is purged.
#ifdef MALLARD_PAGE_CLIENT
inline constexpr bool counts_unpurged = true;
#else
inline constexpr bool counts_unpurged = false;
#endif

// A block begins with its header. Its payload reaches into the first word of the next header,
// unless its redzone is there.
struct fit_block {
  std::size_t prev_bytes;       // size of the block before, while that one is free
  std::size_t bytes_and_flags;  // distance to the next block; a multiple of 16
  fit_block* bin_next;          // the payload begins here while the block is in use
  fit_block* bin_prev;          // the first block's points to the last

  static constexpr std::size_t header_bytes = 16;
  static constexpr std::size_t smallest_bytes = 32;
  static constexpr std::size_t beside_bytes = sizeof(std::size_t) + redzone_bytes;
  // `lone`: in a range of addresses of its own (array_space). `aligned`: over-aligned, at most to
  // its address's own alignment. `purged`: a free block that has (almost) no memory behind what it
  // needs, so that the rest is zero.
  enum flag : std::size_t {
    free = 1,
    after_free = 2,
    lone = 4,
    aligned = 8,
    purged = counts_unpurged ? lone : std::size_t{0},
    flags = 15
  };
  static constexpr std::size_t kept_flags = lone | aligned;  // while the block is in use

  std::size_t bytes() const noexcept { return bytes_and_flags & ~std::size_t{flags}; }
  bool is(flag f) const noexcept { return (bytes_and_flags & f) != 0; }
  std::size_t payload_bytes() const noexcept { return bytes() - beside_bytes; }
  void* payload() noexcept { return &bin_next; }
  fit_block* at(std::size_t offset) noexcept {
    return reinterpret_cast<fit_block*>(reinterpret_cast<std::byte*>(this) + offset);
  }
  fit_block* following() noexcept { return at(bytes()); }
  // Requires that it is free.
  fit_block* before() noexcept { return reinterpret_cast<fit_block*>(as_bytes() - prev_bytes); }
  std::byte* as_bytes() noexcept { return reinterpret_cast<std::byte*>(this); }
  static fit_block* of(void* payload) noexcept {
    return reinterpret_cast<fit_block*>(static_cast<std::byte*>(payload) - header_bytes);
  }
  // The alignment that a block in use must keep wherever it goes.
  static std::size_t alignment_of(void* payload) noexcept {
    if (!of(payload)->is(aligned)) return 16;
    return std::size_t{1} << std::countr_zero(address_of(payload));
  }
  // Requires a block in use.
  void mark_redzone() noexcept { poison(following(), redzone_bytes); }

  // The bytes that a block needs for a payload; 0 if they overflow.
  static constexpr std::size_t bytes_for(std::size_t payload) noexcept {
    const std::size_t bytes = round_up(payload + beside_bytes, 16);
    return bytes < payload ? 0 : bytes < smallest_bytes ? smallest_bytes : bytes;
  }
};

class MALLARD_API fit_heap {
 public:
  // Bytes of a segment that are not for blocks; the first segment also holds the bins.
  static constexpr std::size_t segment_overhead = fit_block::header_bytes + 16;
  static std::size_t first_segment_overhead() noexcept;

  // Adds memory, aligned to 16, for blocks until `reset`. `is_fresh`: all zero, from the system.
  void add_segment(void* p, std::size_t bytes, bool is_fresh = false) noexcept;
  // Forgets all segments. O(1).
  void reset() noexcept { *this = fit_heap(); }
  // Adds memory that begins where a segment ends, `p`, to that segment.
  void extend_segment(void* p, std::size_t bytes, bool is_fresh) noexcept;
  // Removes a segment that has no blocks in use. Returns 0 when it has some, or is the one with the
  // bins, or has `only_purged` asked for and memory to give back. Else everything behind so many
  // bytes is zero and has no memory, except the last `fit_block::header_bytes`.
  std::size_t remove_segment(void* p, std::size_t bytes, bool only_purged = false) noexcept;
  // A free block of at least so many bytes, or null.
  fit_block* find_free(std::size_t least) const noexcept;
  // Takes part of a free block out of its segment. The memory before `begin` then ends that
  // segment, and `rest` begins another; without `rest`, everything from `begin` on goes. Requires:
  // without `rest`, the block is its segment's last; before `begin` there is room for a block and a
  // segment's end, or nothing; from `rest` on there is room for a block.
  void take_out(fit_block* b, std::byte* begin, fit_block* rest) noexcept;

  // Null when no free block is large enough. `alignment` is a power of two. `is_zero`: whether the
  // payload is zero, except for its first two words and its last.
  void* allocate(std::size_t bytes, std::size_t alignment, bool* is_zero = nullptr) noexcept;
  // Everything behind the first `unpurged` bytes of the payload is zero and has no memory.
  void deallocate(void* p, std::size_t unpurged = SIZE_MAX) noexcept;

  // Grows the payload at `p` to `preferred` bytes, or as far as possible but at least to `minimum`,
  // into the free block behind it. Returns its bytes, or 0 when there is no such room.
  std::size_t expand(void* p, std::size_t minimum, std::size_t preferred) noexcept;

  // The same into the free block before it, then the one behind. The new payload begins a multiple
  // of `step`, itself a multiple of 16, before `p`; nothing is moved. Null when there is no room.
  void* expand_backward(void* p, std::size_t minimum, std::size_t preferred,
                        std::size_t step) noexcept;

  // The payload that `shrink` would leave.
  static std::size_t shrunk(void* p, std::size_t bytes) noexcept;

  // Frees what is beyond `bytes`. Returns the bytes left.
  std::size_t shrink(void* p, std::size_t bytes) noexcept;

  static std::size_t payload_bytes(void* p) noexcept { return fit_block::of(p)->payload_bytes(); }

  // Calls `visit(p, bytes)` for what free blocks do not need, where that is at least `least` bytes.
  template <class Visit>
  void for_each_free(std::size_t least, Visit&& visit) noexcept {
    if (bins_ == nullptr) return;
    const auto visit_block = [&](fit_block* b) {
      if (b->bytes() >= least + sizeof(fit_block)) visit(b + 1, b->bytes() - sizeof(fit_block));
    };
    if (top_ != nullptr) visit_block(top_);
    for (std::size_t bin = bin_of(least); bin < bin_count; ++bin) {
      if ((bins_->map[bin / 64] >> (bin % 64) & 1) == 0) continue;
      for (fit_block* b = bins_->first[bin]; b != nullptr; b = b->bin_next) visit_block(b);
    }
  }
  // A free block of at least so many bytes that are not all given back to the system, or null.
  // Nobody gets it until it is put back; it does not count as in use. The first `unpurged` bytes
  // remain to be given back, or cleared.
  fit_block* take_unpurged(std::size_t least, std::size_t& unpurged) noexcept;
  // Requires that everything behind the header and the first `unpurged` bytes was given back, and
  // is zero.
  void put_back(fit_block* b, std::size_t unpurged) noexcept { join_free(b, unpurged); }

  std::size_t in_use_blocks() const noexcept { return in_use_blocks_; }
  std::size_t in_use_bytes() const noexcept { return in_use_bytes_; }  // with headers
  std::size_t segment_bytes() const noexcept { return segment_bytes_; }
  // The sum of what remains to be given back of free blocks of `least_counted` and more, where that
  // is counted.
  std::size_t unpurged_bytes() const noexcept { return unpurged_bytes_; }
  static constexpr std::size_t least_counted = std::size_t{64} << 10;
  // The same of one free block: so much of its beginning.
  static std::size_t unpurged_of(fit_block* b) noexcept {
    return is_counted(b) ? count_of(b) : b->is(fit_block::purged) ? 0 : b->bytes();
  }

 private:
  static constexpr std::size_t linear_limit = 512;  // below it, one bin per 16 bytes
  static constexpr std::size_t largest_log2 = 46;
  static constexpr std::size_t bin_count = linear_limit / 16 + (largest_log2 - 9) * 16;
  static constexpr std::size_t map_words = (bin_count + 63) / 64;
  struct bins {
    std::uint64_t summary;
    std::array<std::uint64_t, map_words> map;
    std::array<fit_block*, bin_count> first;  // not initialised where the bin's bit in `map` is 0
  };

  static std::size_t bin_of(std::size_t bytes) noexcept {
    if (bytes < linear_limit) return bytes / 16;
    const auto high = static_cast<std::size_t>(std::bit_width(bytes)) - 1;
    const std::size_t bin = linear_limit / 16 + (high - 9) * 16 + (bytes >> (high - 4) & 15);
    return smaller(bin, bin_count - 1);
  }
  fit_block* find(std::size_t bytes) const noexcept;
  fit_block* find_in_bins(std::size_t bytes) const noexcept;
  fit_block* find_unpurged(std::size_t least) const noexcept;
  void insert(fit_block* b) noexcept;
  void remove(fit_block* b) noexcept;
  // `unpurged`: everything behind so many bytes of the block is zero and has no memory. It is 0 for
  // a purged block. Where it is not counted, it is all of any other block, else larger ones have it
  // behind their header.
  void make_free(fit_block* b, std::size_t bytes, std::size_t unpurged) noexcept;
  void join_free(fit_block* b, std::size_t unpurged) noexcept;
  std::size_t take_following(fit_block* next, std::size_t before, std::size_t& unpurged) noexcept;
  void make_used(fit_block* b, std::size_t bytes) noexcept;
  void cut(fit_block* b, std::size_t bytes, std::size_t unpurged) noexcept;
  static std::size_t& count_of(fit_block* b) noexcept {
    return *reinterpret_cast<std::size_t*>(b + 1);
  }
  static bool is_counted(const fit_block* b) noexcept {
    return counts_unpurged && b->bytes() >= least_counted && !b->is(fit_block::purged);
  }

  bins* bins_ = nullptr;      // in the first segment
  fit_block* top_ = nullptr;  // the free block at a segment's end; in no bin, used last
  std::size_t in_use_blocks_ = 0;
  std::size_t in_use_bytes_ = 0;
  std::size_t segment_bytes_ = 0;
  std::size_t unpurged_bytes_ = 0;
};

}  // namespace mallard::inline v1::detail
