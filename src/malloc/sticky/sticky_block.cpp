#include "malloc/sticky/sticky_block.hpp"

#include <algorithm>
#include <cstring>

#include "malloc/huge_block.hpp"

namespace mallard::inline v1::detail::sticky {
namespace {

// As the engine has it, without a call for most blocks.
std::size_t block_bytes(const void* p) noexcept {
  const slice_mark mark = mark_of(p);
  return mark.is_slab() ? class_steps[mark.size_class()].block_bytes : detail::usable_bytes(p);
}

std::byte* record_place(const void* p) noexcept {
  return static_cast<std::byte*>(const_cast<void*>(p)) + block_bytes(p) - record_bytes;
}

bool is_aligned(const void* p, std::size_t alignment) noexcept {
  return (address_of(p) & (alignment - 1)) == 0;
}

// Whether a block may stay, with room for its record: large enough, and not wastefully large.
bool fits(std::size_t have, std::size_t needed) noexcept {
  return needed <= have && needed >= have / 2;
}

std::size_t block_alignment(std::size_t alignment) noexcept {
  return std::max(alignment, malloc_alignment);
}

// Moves it to `needed` bytes, with the contents. Null if that fails: nothing has changed.
void* move(void* p, std::size_t needed, std::size_t alignment) noexcept {
  if (alignment <= malloc_alignment) return detail::reallocate(p, needed);
  const std::size_t have = block_bytes(p);
  if (is_aligned(p, alignment) && fits(have, needed)) return p;
  void* const moved = allocate_beside(heap_of(p), needed, alignment);
  // There may be no memory for a smaller block: then the old one has to do.
  if (moved == nullptr) return needed <= have && is_aligned(p, alignment) ? p : nullptr;
  std::memcpy(moved, p, std::min(have, needed));
  detail::deallocate(p);
  return moved;
}

// Zeroes bytes `from` to `to` of a block that had `had` bytes before it became what it is.
void zero_growth(void* p, std::size_t from, std::size_t to, std::size_t had) noexcept {
  // Nobody has written to the pages that came to such a block.
  if (is_fresh_huge(p)) to = std::min(to, had);
  if (from < to) std::memset(static_cast<std::byte*>(p) + from, 0, to - from);
}

}  // namespace

block_record record_of(const void* p) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, record_place(p), sizeof word);
  const std::uint64_t exponent = (word >> 1) % (1u << exponent_bits);
  return {word >> request_shift, std::size_t{1} << exponent, word % 2 != 0};
}

void* write_record(void* p, std::uint64_t word) noexcept {
  if (p != nullptr) std::memcpy(record_place(p), &word, sizeof word);
  return p;
}

std::size_t usable_bytes(const void* p) noexcept {
  const std::size_t most = detail::usable_bytes(p) - record_bytes;
  const block_record record = record_of(p);
  return record.zero_fill ? std::min(record.request, most) : most;
}

void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
  return remember(detail::allocate_aligned(with_record(bytes), alignment),
                  {.request = bytes, .alignment = block_alignment(alignment)});
}

void* allocate_aligned_zeroed(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment <= malloc_alignment) return allocate_zeroed(bytes);
  void* const p = detail::allocate_aligned(with_record(bytes), alignment);
  if (p == nullptr) return nullptr;
  zero_growth(p, 0, bytes, 0);
  return remember(p, {.request = bytes, .alignment = alignment, .zero_fill = true});
}

void* allocate_from(user_heap& heap, std::size_t bytes, std::size_t alignment) noexcept {
  return remember(heap.allocate(with_record(bytes), alignment),
                  {.request = bytes, .alignment = block_alignment(alignment)});
}

void* reallocate_aligned(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  const block_record old = record_of(p);
  const std::size_t had = block_bytes(p);
  alignment = block_alignment(alignment);
  void* const now = move(p, with_record(bytes), alignment);
  if (now == nullptr) return nullptr;
  if (old.zero_fill) zero_growth(now, old.request, bytes, had);
  return remember(now, {bytes, alignment, old.zero_fill});
}

void* reallocate(void* p, std::size_t bytes) noexcept {
  return reallocate_aligned(p, bytes, record_of(p).alignment);
}

void* resize(void* p, std::size_t bytes, std::size_t alignment) noexcept {
  if (is_aligned(p, alignment) && fits(block_bytes(p), with_record(bytes))) {
    return remember(p, {.request = bytes, .alignment = block_alignment(alignment)});
  }
  return remember(replace(p, with_record(bytes), alignment),
                  {.request = bytes, .alignment = block_alignment(alignment)});
}

}  // namespace mallard::inline v1::detail::sticky
