// Purpose: blocks that remember how they were asked for: bytes, alignment, and whether zeroed. The
// functions have the engine's names and do the same; what is not declared here is the engine's own.
//
// The record is the last word of the block, found from the block's address: so it costs a block
// eight bytes whatever its alignment, and freeing one is the same as without it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "malloc/engine.hpp"
#include "malloc/user_heap.hpp"

namespace mallard::inline v1::detail::sticky {

using namespace detail;

struct block_record {
  std::size_t request = 0;
  std::size_t alignment = malloc_alignment;  // a power of two, at least that of all blocks
  bool zero_fill = false;
};

// Its word has, from the lowest bit: zero-fill, the alignment's exponent, the request. No block has
// as many bytes as the request has bits for.
inline constexpr std::size_t record_bytes = sizeof(std::uint64_t);
inline constexpr unsigned exponent_bits = 6;
inline constexpr unsigned request_shift = 1 + exponent_bits;

constexpr std::uint64_t word_of(const block_record& record) noexcept {
  const auto exponent = static_cast<unsigned>(std::countr_zero(record.alignment));
  return record.request << request_shift | exponent << 1 | (record.zero_fill ? 1u : 0u);
}

block_record record_of(const void* p) noexcept;

// Returns `p`, which may be null.
void* write_record(void* p, std::uint64_t word) noexcept;

inline void* remember(void* p, const block_record& record) noexcept {
  return write_record(p, word_of(record));
}

// The bytes to ask the engine for; `SIZE_MAX`, which it refuses, without room for the record.
constexpr std::size_t with_record(std::size_t bytes) noexcept {
  return bytes > SIZE_MAX - record_bytes ? SIZE_MAX : bytes + record_bytes;
}

inline void* allocate(std::size_t bytes) noexcept {
  return remember(detail::allocate(with_record(bytes)), {.request = bytes});
}

inline void* allocate_zeroed(std::size_t bytes) noexcept {
  return remember(detail::allocate_zeroed(with_record(bytes)),
                  {.request = bytes, .zero_fill = true});
}

// `alignment` is a power of two, as everywhere.
void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept;
void* allocate_aligned_zeroed(std::size_t bytes, std::size_t alignment) noexcept;
void* allocate_from(user_heap& heap, std::size_t bytes, std::size_t alignment) noexcept;

// Keeps the alignment and the zero-fill: bytes beyond the old request are zero then, even if usable
// ones were written to. Requires p != nullptr and bytes != 0. Null, with nothing changed, if there
// is no memory.
void* reallocate(void* p, std::size_t bytes) noexcept;
// The same with another alignment.
void* reallocate_aligned(void* p, std::size_t bytes, std::size_t alignment) noexcept;

// Forgets contents, alignment and zero-fill. Null when there is no memory; the block is gone then.
void* resize(void* p, std::size_t bytes, std::size_t alignment) noexcept;

// A zeroed block has no more than its request: bytes beyond it become zero when the block grows.
std::size_t usable_bytes(const void* p) noexcept;

}  // namespace mallard::inline v1::detail::sticky
