// Purpose: the memory of a heap's large and growing blocks: segments that are split and coalesced,
// and blocks with a range of addresses of their own.
#pragma once

#include <cstddef>
#include <memory_resource>

#include "mallard/detail/config.hpp"
#include "mallard/detail/core/fit_heap.hpp"
#include "mallard/detail/resources/address_ranges.hpp"

namespace mallard::inline v1::detail {

class MALLARD_API array_space {
 public:
  // Blocks from this size on get a range of their own when asked for.
  static constexpr std::size_t lone_bytes = std::size_t{64} << 10;

  // Segments come from `upstream`, or, if that is the page source, from address ranges.
  explicit array_space(std::pmr::memory_resource* upstream) noexcept;
  array_space(const array_space&) = delete;
  array_space& operator=(const array_space&) = delete;

  // Throw std::bad_alloc or what upstream throws. `roomy`: the block is expected to grow.
  void* allocate(std::size_t bytes, std::size_t alignment, bool roomy);
  void deallocate(void* p) noexcept;

  // The parts of `allocate`, for use behind a lock that must not be held while upstream is called:
  // `try_allocate` returns null when there is no room, `get_segment` gets memory that has room,
  // more if upstream has it, and `add_and_allocate` adds it and allocates there.
  void* try_allocate(std::size_t bytes, std::size_t alignment, bool roomy) noexcept;
  struct fresh_segment {
    void* p;
    std::size_t bytes;
  };
  std::size_t segment_bytes_for(std::size_t bytes, std::size_t alignment) const;
  std::size_t next_segment_bytes() const noexcept { return next_segment_bytes_; }
  fresh_segment get_segment(std::size_t least, std::size_t preferred) const;
  void* add_and_allocate(fresh_segment fresh, std::size_t bytes, std::size_t alignment) noexcept;

  static std::size_t payload_bytes(void* p) noexcept { return fit_heap::payload_bytes(p); }
  static std::size_t alignment_of(void* p) noexcept { return fit_block::alignment_of(p); }

  // As in fit_heap.
  std::size_t expand(void* p, std::size_t minimum, std::size_t preferred) noexcept;
  void* expand_backward(void* p, std::size_t minimum, std::size_t preferred,
                        std::size_t step) noexcept;
  std::size_t shrink(void* p, std::size_t bytes) noexcept;

  // Moves the first `old` bytes of a large block to a range of its own that has room for `bytes`.
  // Pages change their addresses; only parts of pages at the ends are copied. Null, with nothing
  // changed, when that would not pay or the system refuses.
  void* move(void* p, std::size_t old, std::size_t bytes) noexcept;

  // Gives the memory of free blocks back to the system, and segments without blocks to where they
  // came from. Returns the bytes of these segments.
  std::size_t trim() noexcept {
    const detached_segments empty = detach_empty();
    give_back(empty);
    return empty.bytes;
  }
  // The parts of `trim`, for the same reason.
  struct detached_segments {
    void* first = nullptr;
    std::size_t bytes = 0;
  };
  detached_segments detach_empty() noexcept;
  void give_back(detached_segments list) const noexcept;
  // With `forget`, upstream ignores deallocation.
  void release(bool forget) noexcept;

  std::size_t blocks() const noexcept { return heap_.in_use_blocks() + lone_blocks_; }
  std::size_t lone_blocks() const noexcept { return lone_blocks_; }
  std::size_t in_use_bytes() const noexcept { return heap_.in_use_bytes() + lone_in_use_; }
  std::size_t reserved_bytes() const noexcept { return shared_reserved_ + lone_reserved_; }

 private:
  struct segment {  // at the start of what it has
    segment* next;
    segment* prev;
    std::size_t bytes;   // of the whole range
    std::size_t before;  // of these, before the segment
    std::size_t used;    // of these, from the range's start, those that blocks have reached so far
    bool patched;        // pages were moved here: the range has more mappings than others
    std::byte* range() noexcept { return reinterpret_cast<std::byte*>(this) - before; }
  };
  static constexpr std::size_t segment_header_bytes = 64;
  static constexpr std::size_t first_segment_bytes = std::size_t{64} << 10;
  static constexpr std::size_t largest_step_bytes = std::size_t{4} << 20;
  static constexpr std::size_t purged_bytes = std::size_t{1} << 20;  // purged when freed, or kept
  static constexpr std::size_t least_kept_bytes = std::size_t{8} << 20;
  static constexpr std::size_t moved_bytes = std::size_t{1} << 20;  // smaller blocks are copied

  bool owns(void* p) const noexcept;
  void keep_or_purge(void* p, std::size_t bytes) noexcept;
  void reuse_kept(void* p, std::size_t bytes) noexcept;
  void* allocate_lone(std::size_t bytes, const void* like = nullptr, std::size_t unit = 1) noexcept;
  void drop_lone(void* p) noexcept;
  static void give_range_of(segment* s) noexcept;
  segment* segment_around(void* p) noexcept;
  void detach(segment* s, detached_segments& list) noexcept;
  void note_reach(void* p) noexcept;
  void purge(void* p, std::size_t bytes) noexcept;
  static segment* segment_of_lone(void* p) noexcept;

  std::pmr::memory_resource* upstream_;
  bool ranges_;  // segments are address ranges, not from upstream
  fit_heap heap_;
  segment* segments_ = nullptr;
  segment* lone_ = nullptr;
  std::size_t next_segment_bytes_ = first_segment_bytes;
  std::size_t most_in_use_ = 0;      // when a large block was freed, since the last trim
  std::size_t kept_bytes_ = 0;       // of large blocks that were freed and have their memory still
  std::size_t shared_reserved_ = 0;  // by segments of many blocks
  std::size_t lone_blocks_ = 0;
  std::size_t lone_in_use_ = 0;
  std::size_t lone_reserved_ = 0;
};

}  // namespace mallard::inline v1::detail
