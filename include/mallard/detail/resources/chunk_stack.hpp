// Purpose: the bump allocation that the monotonic resources share: a stack of chunks, the newest in
// use, and the block carved last, which may grow and shrink in place.
//
// Single large blocks can be taken back, as a growing vector frees one after each growth, but none
// of alignment 1 (arena.hpp says why). A container may be destroyed after the arena was rewound,
// and then frees blocks whose memory is in use again. So blocks are taken back only until the first
// rewind, and never from the chunk of a mark or older ones, which the mark must find again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>
#include <type_traits>

#include "mallard/arena.hpp"
#include "mallard/detail/bits.hpp"
#include "mallard/detail/config.hpp"
#include "mallard/detail/core/annotate.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t bump_alignment = alignof(std::max_align_t);

// Sizes are rounded up to this, so that most requests find the cursor aligned.
inline constexpr std::size_t bump_step = 8;

// The bytes that a block takes; an empty block takes a step, so that its address is its own.
constexpr std::size_t bump_bytes(std::size_t bytes) noexcept {
  return round_up(bytes + (bytes == 0), bump_step);
}

// The bytes that stay poisoned behind every block of a range: a redzone in a sanitizer's build, but
// none in ranges whose size the caller chose, where everything must fit that fits without one.
struct no_gap {
  static constexpr no_gap none() noexcept { return {}; }
  static constexpr std::size_t bytes() noexcept { return 0; }
};
struct redzone_gap {
  std::size_t count = redzone_bytes;
  static constexpr redzone_gap none() noexcept { return {0}; }
  constexpr std::size_t bytes() const noexcept { return count; }
};
using bump_gap = std::conditional_t<redzone_bytes == 0, no_gap, redzone_gap>;

// The free range of the newest chunk. The cursor is a multiple of `bump_step` and the end one of
// `bump_alignment` (a caller's buffer is cut to that), so aligning up within a chunk never passes
// the end, except for more than fundamental alignment.
struct bump_range {
  std::byte* cursor = nullptr;
  std::byte* end = nullptr;
  [[no_unique_address]] bump_gap gap{};

  // Null when it does not fit, and for empty requests.
  MALLARD_ALWAYS_INLINE void* carve(std::size_t bytes, std::size_t alignment) noexcept {
    MALLARD_ASSERT(is_power_of_two(alignment));
    std::byte* p = cursor;
    if (alignment > bump_step) {
      p += round_up(address_of(p), alignment) - address_of(p);
      if (alignment > bump_alignment && p > end) return nullptr;
    }
    // The room is a multiple of the step, so what fits also fits rounded up.
    if (bytes - 1 >= static_cast<std::size_t>(end - p)) [[unlikely]] {
      return nullptr;
    }
    if (p == nullptr) __builtin_unreachable();  // spares the caller a test
    // The same place, written in two ways: one addition less if the compiler does not know `bytes`.
    move_behind(__builtin_constant_p(bytes)
                    ? p + round_up(bytes, bump_step)
                    : reinterpret_cast<std::byte*>(round_up(address_of(p) + bytes, bump_step)));
    hand_out(p, bytes);
    return p;
  }

  bool try_expand(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept {
    if (new_bytes <= old_bytes) return true;
    auto* const block = static_cast<std::byte*>(p);
    if (!is_last(block, old_bytes)) return false;
    const std::size_t wanted = round_up(new_bytes, bump_step);
    if (wanted - 1 >= static_cast<std::size_t>(end - block)) return false;
    move_behind(block + wanted);
    unpoison(block, new_bytes);
    return true;
  }

  bool shrink(void* p, std::size_t old_bytes, std::size_t new_bytes) noexcept {
    auto* const block = static_cast<std::byte*>(p);
    if (new_bytes >= old_bytes || !is_last(block, old_bytes)) return false;
    move_behind(block + bump_bytes(new_bytes));
    poison(block + new_bytes, static_cast<std::size_t>(end - block) - new_bytes);
    return true;
  }

  // The last block's gap follows it, as far as the range had room for it.
  bool is_last(const std::byte* block, std::size_t bytes) const noexcept {
    const std::byte* const behind = block + bump_bytes(bytes);
    if constexpr (redzone_bytes == 0) return behind == cursor;
    return address_of(cursor) - address_of(behind) <= gap.bytes();
  }

 private:
  MALLARD_ALWAYS_INLINE void move_behind(std::byte* block_end) noexcept {
    cursor = block_end;
    if constexpr (redzone_bytes != 0) {
      cursor += smaller(gap.bytes(), static_cast<std::size_t>(end - block_end));
    }
  }
};

// In front of every chunk from upstream.
struct chunk_header {
  chunk_header* older;
  std::size_t bytes;  // with the header
  std::byte* cursor;  // where carving stopped when a newer chunk took over
  bool oversize;      // made for one block; carving goes on in an older chunk
  // Where free memory is marked, no block begins within the record of a free mapping (40 bytes).
  char unused[redzone_bytes == 0 ? 7 : 23];
};

// The size of a chunk with room for `payload` bytes in a few blocks.
constexpr std::size_t chunk_bytes_for(std::size_t payload) noexcept {
  constexpr std::size_t beside =
      round_up(sizeof(chunk_header), bump_alignment) + bump_alignment + 16 * redzone_bytes;
  return payload > ~std::size_t{0} / 2 ? payload : round_up(payload, bump_alignment) + beside;
}

class MALLARD_API chunk_stack {
 public:
  chunk_stack(monotonic_options options, std::pmr::memory_resource* upstream) noexcept
      : options_(options), next_bytes_(options.initial_bytes), upstream_(upstream) {}
  // The buffer is used before upstream is asked.
  chunk_stack(void* buffer, std::size_t bytes, monotonic_options options,
              std::pmr::memory_resource* upstream) noexcept;
  chunk_stack(const chunk_stack&) = delete;
  chunk_stack& operator=(const chunk_stack&) = delete;
  ~chunk_stack();

  bump_range range;

  struct mark_type {
    const chunk_header* chunk = nullptr;
    std::byte* cursor = nullptr;
    const chunk_stack* owner = nullptr;
    std::size_t turn = 0;  // number of rewinds before it
  };
  mark_type mark() const noexcept {
    marked_ = chunks_;
    return {chunks_, range.cursor, this, turn_};
  }
  // Keeps newer chunks for reuse; an oversize one serves blocks of about its size.
  void rewind(mark_type to) noexcept;
  // Rewinds to the start; keeps up to `keep_bytes` of chunks for reuse.
  void reset(std::size_t keep_bytes) noexcept;
  void release() noexcept;

  // Carves from another chunk. Throws what upstream throws, with nothing changed.
  MALLARD_COLD void* carve_slow(std::size_t bytes, std::size_t alignment);
  // The same, but returns null for every exception.
  MALLARD_COLD void* try_carve_slow(std::size_t bytes, std::size_t alignment) noexcept;

  // Takes back a block of at least `taken_back_from_bytes` that is the last of the current chunk,
  // or the only one of one of the newest. Ignores others, and all once memory was used again.
  static constexpr std::size_t taken_back_from_bytes = std::size_t{32} << 10;
  MALLARD_COLD void take_back(void* p, std::size_t bytes) noexcept;

  void note_peak() noexcept;  // before bytes are freed
  monotonic_stats stats() const noexcept;
  bool owns(const void* p) const noexcept;
  std::pmr::memory_resource* upstream_resource() const noexcept { return upstream_; }

 private:
  // Blocks up to this size always share chunks. A larger one that does not fit the next chunk gets
  // one of its own, and chunks grow on as if it did not exist.
  static constexpr std::size_t shared_up_to_bytes = std::size_t{64} << 10;

  void rewind_to(const mark_type& to) noexcept;
  bool is_alive(const mark_type& mark) const noexcept;
  // An oversize spare may be larger than the block by so many bytes.
  chunk_header* take_spare(std::size_t bytes, bool oversize, std::size_t most_beside) noexcept;
  chunk_header* next_chunk(std::size_t needed, bool oversize);
  chunk_header* allocate_next(std::size_t needed);
  chunk_header* allocate_chunk(std::size_t bytes, bool oversize);
  void* carve_oversize(std::size_t needed, std::size_t bytes, std::size_t alignment);
  void give_back(chunk_header* chunk) noexcept;
  void give_back_list(chunk_header* newest) noexcept;
  void leave_current() noexcept;
  void use(chunk_header* chunk) noexcept;                            // null: the buffer
  std::size_t used_bytes(const chunk_header* chunk) const noexcept;  // null: of the buffer
  std::size_t in_use_bytes() const noexcept;

  monotonic_options options_;
  std::size_t next_bytes_;
  std::byte* buffer_ = nullptr;
  std::byte* buffer_end_ = nullptr;
  std::byte* buffer_cursor_ = nullptr;  // where carving stopped when a chunk took over
  chunk_header* chunks_ = nullptr;      // in use, the newest first
  chunk_header* current_ = nullptr;     // where carving goes on; null: in the buffer
  chunk_header* spares_ = nullptr;      // kept for reuse
  mark_type last_rewind_;               // older marks beyond it have ended
  std::size_t turn_ = 0;
  mutable const chunk_header* marked_ = nullptr;  // by the newest mark: it and older ones stay
  std::size_t settled_bytes_ = 0;                 // in use in all chunks but the current one
  std::size_t peak_bytes_ = 0;
  std::size_t overflowed_ = 0;
  std::pmr::memory_resource* upstream_;
};

}  // namespace mallard::inline v1::detail
