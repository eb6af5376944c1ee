// Purpose: blocks with a mapping of their own, which grows by moving pages, not bytes. Thread-safe
// without a lock: different blocks share nothing but counters.
#pragma once

#include <cstddef>

#include "malloc/region.hpp"

namespace mallard::inline v1::detail {

inline constexpr std::size_t least_huge_bytes = std::size_t{8} << 20;

inline constexpr std::size_t largest_alignment = std::size_t{1} << 30;

// Null when the system refuses. `alignment` is a power of two.
void* allocate_huge(std::size_t bytes, std::size_t alignment) noexcept;
void deallocate_huge(void* p) noexcept;

// Makes the block `bytes` large, where it is or elsewhere, without copying. Null when the system
// refuses, and then nothing has changed; it never refuses to make one smaller.
void* resize_huge(void* p, std::size_t bytes) noexcept;

std::size_t huge_payload_bytes(const void* p) noexcept;

// Whether the block is huge and was zeroed when it was handed out, as all are but those whose
// mapping was kept from another one. Then what comes to it as it grows is zeroed as well.
bool is_fresh_huge(const void* p) noexcept;

// Whether huge pages are asked for from now on.
void set_huge_pages(bool on) noexcept;

struct huge_usage_type {
  std::size_t blocks = 0;
  std::size_t mapped_bytes = 0;
  std::size_t kept_bytes = 0;  // mapped beside these, for blocks to come
};
huge_usage_type huge_usage() noexcept;

}  // namespace mallard::inline v1::detail
