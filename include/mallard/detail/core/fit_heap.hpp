// Purpose: blocks of any size in segments of memory, split and coalesced; they can grow where they
// are.
//
// Two-level segregated fit (Masmano, Ripoll, Crespo, Real, 2004): free blocks in bins by size, four
// bits of the size below its highest one, with a bitmap over the bins, so that a fitting block is
// found in O(1). Boundary tags (Knuth): a block knows its size, and that of the block before it
// while that one is free, so that neighbours are joined in O(1). Eight bytes per block in use.
// Not thread-safe.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"

namespace mallard::inline v1::detail {

// A block begins with its header; its payload reaches into the first word of the next header, where
// that is not its redzone.
struct fit_block {
  std::size_t prev_bytes;       // of the block before, while that one is free
  std::size_t bytes_and_flags;  // to the next block; a multiple of 16
  fit_block* bin_next;          // from here on the payload, while the block is in use
  fit_block* bin_prev;          // of the first, the last

  static constexpr std::size_t header_bytes = 16;
  static constexpr std::size_t smallest_bytes = 32;
  static constexpr std::size_t beside_bytes = sizeof(std::size_t) + redzone_bytes;
  // `aligned`: over-aligned, by its address's own alignment or less. `purged`, of a free block:
  // what it does not need has no memory behind it, or hardly any, and is zero.
  enum flag : std::size_t {
    free = 1,
    after_free = 2,
    lone = 4,
    aligned = 8,
    purged = lone,
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
  // A block in use must stay aligned to this wherever it goes.
  static std::size_t alignment_of(void* payload) noexcept {
    if (!of(payload)->is(aligned)) return 16;
    return std::size_t{1} << std::countr_zero(address_of(payload));
  }
  // Requires a block in use.
  void mark_redzone() noexcept { poison(following(), redzone_bytes); }

  // The bytes that a block needs for a payload; 0 when that does not fit.
  static constexpr std::size_t bytes_for(std::size_t payload) noexcept {
    const std::size_t bytes = round_up(payload + beside_bytes, 16);
    return bytes < payload ? 0 : bytes < smallest_bytes ? smallest_bytes : bytes;
  }
};

class MALLARD_API fit_heap {
 public:
  // So many bytes of a segment are not for blocks; the first segment also holds the bins.
  static constexpr std::size_t segment_overhead = fit_block::header_bytes + 16;
  static std::size_t first_segment_overhead() noexcept;

  // Takes the memory, aligned to 16, for blocks, until `reset`. `is_fresh`: as the system gave it,
  // all zero.
  void add_segment(void* p, std::size_t bytes, bool is_fresh = false) noexcept;
  // Forgets all segments. O(1).
  void reset() noexcept { *this = fit_heap(); }
  // The same of memory that begins where a segment ends, `p`, as one with it. False where memory
  // that is not zero would make the fresh one so: then it is to be a segment of its own.
  bool extend_segment(void* p, std::size_t bytes, bool is_fresh) noexcept;
  // Takes a segment without blocks in use out again; false when it has some.
  bool remove_segment(void* p, std::size_t bytes) noexcept;
  // A free block of at least so many bytes, or null.
  fit_block* find_free(std::size_t least) const noexcept;
  // Takes a part of a free block out of its segment. What is before `begin` is the end of a segment
  // then, and `rest` the first block of another; without a rest all behind goes. Requires that the
  // block is the segment's last where there is no rest, and room for a block and a segment's end
  // before `begin`, or none there, and for a block from `rest` on.
  void take_out(fit_block* b, std::byte* begin, fit_block* rest) noexcept;

  // Null when no free block is large enough. `alignment` is a power of two. `is_zero`: whether the
  // payload is, but for its first two words and its last one.
  void* allocate(std::size_t bytes, std::size_t alignment, bool* is_zero = nullptr) noexcept;
  void deallocate(void* p) noexcept;

  // Makes the payload at `p` as large as `preferred`, or as it can be if that is `minimum` at
  // least, by taking from the free block behind. Returns its bytes, 0 when there is no such room.
  std::size_t expand(void* p, std::size_t minimum, std::size_t preferred) noexcept;

  // The same by taking from the free block before, then behind. The new payload begins a multiple
  // of `step`, itself a multiple of 16, before `p`. The bytes stay where they are. Null when there
  // is no such room.
  void* expand_backward(void* p, std::size_t minimum, std::size_t preferred,
                        std::size_t step) noexcept;

  // The payload that `shrink` would leave.
  static std::size_t shrunk(void* p, std::size_t bytes) noexcept;

  // Frees what is beyond `bytes` and returns the bytes left.
  std::size_t shrink(void* p, std::size_t bytes) noexcept;

  static std::size_t payload_bytes(void* p) noexcept { return fit_block::of(p)->payload_bytes(); }

  // Calls `visit(p, bytes)` for what free blocks do not need, if that is at least `least` bytes.
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
  // A free block of at least so many bytes that were not given back to the system, or null. Nobody
  // gets it until it is put back; it does not count as in use.
  fit_block* take_unpurged(std::size_t least) noexcept;
  // Requires that all behind the header was given back, and is zero.
  void put_back_purged(fit_block* b) noexcept;

  std::size_t in_use_blocks() const noexcept { return in_use_blocks_; }
  std::size_t in_use_bytes() const noexcept { return in_use_bytes_; }  // with headers
  std::size_t segment_bytes() const noexcept { return segment_bytes_; }

 private:
  static constexpr std::size_t linear_limit = 512;  // below it, one bin per 16 bytes
  static constexpr std::size_t largest_log2 = 46;
  static constexpr std::size_t bin_count = linear_limit / 16 + (largest_log2 - 9) * 16;
  static constexpr std::size_t map_words = (bin_count + 63) / 64;
  struct bins {
    std::uint64_t summary;
    std::array<std::uint64_t, map_words> map;
    std::array<fit_block*, bin_count> first;  // of a bin that is not marked: not initialised
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
  void make_free(fit_block* b, std::size_t bytes, std::size_t purged) noexcept;
  void join_free(fit_block* b, std::size_t purged) noexcept;
  void make_used(fit_block* b, std::size_t bytes) noexcept;
  void cut(fit_block* b, std::size_t bytes, std::size_t purged = 0) noexcept;

  bins* bins_ = nullptr;      // in the first segment
  fit_block* top_ = nullptr;  // a free block at the end of a segment; in no bin, and used last
  std::size_t in_use_blocks_ = 0;
  std::size_t in_use_bytes_ = 0;
  std::size_t segment_bytes_ = 0;
};

}  // namespace mallard::inline v1::detail
