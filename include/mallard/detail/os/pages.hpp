// Purpose: the calls of the operating system's virtual memory. One file per system.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::os {

inline constexpr std::size_t page_bytes = 4096;  // the smallest unit we ask for
inline constexpr std::size_t huge_page_bytes = 2 << 20;

// The system's own page: a multiple of `page_bytes`, known at run time.
std::size_t page_size() noexcept;

// From now on, aligned memory is mapped below what was mapped before, as long as there is room in
// 256 GiB: what points to memory that is gone points to nothing for long.
void keep_off_used_addresses() noexcept;

// Readable, writable, zeroed memory aligned to `alignment` (a power of two); null when refused.
// With `huge`, asks for huge pages; refusal of those is no failure.
void* map(std::size_t bytes, std::size_t alignment, bool huge) noexcept;

// Address space without memory behind it, aligned to `alignment`; null when refused.
void* reserve(std::size_t bytes, std::size_t alignment = page_bytes) noexcept;

// The same at exactly these addresses. False when refused, or when something is there.
bool reserve_at(void* p, std::size_t bytes) noexcept;

// Zeros that can be read only; null when refused.
void* map_zeros(std::size_t bytes) noexcept;

// Makes pages of `reserve` or `map_zeros` usable. False when refused.
bool commit(void* p, std::size_t bytes) noexcept;

// Makes whole pages of `map` fault when touched, until they are unmapped. Refusal is no failure.
void protect(void* p, std::size_t bytes) noexcept;

// Gives the memory of whole pages back and keeps the addresses usable. Their contents become zero;
// what is around them stays. Locked pages stay, too, unless `locked_too` and the system knows how.
void purge(void* p, std::size_t bytes, bool locked_too = false) noexcept;

// Moves whole pages with their contents to usable addresses elsewhere; the old addresses stay
// usable and become zero. False when the system refuses, as it does beyond one mapping: the pages
// are where they were, and the addresses at `to` may be gone.
bool move(void* from, std::size_t bytes, void* to) noexcept;

// Puts zeroed memory behind the pages at once, which is faster than one page for each fault. False
// when refused, which is no failure.
bool populate(void* p, std::size_t bytes) noexcept;

// Asks for huge pages where they fit. Refusal is no failure.
void prefer_huge_pages(void* p, std::size_t bytes) noexcept;

// Makes a mapping of `map` larger by moving its pages, not its bytes: in place, or to another
// multiple of `alignment` if `may_be(there)`. Null, with nothing changed, when refused, as it is
// when a part of the mapping is no longer like the rest. Its first `apart` bytes, whole pages, may
// be unlike the rest, and are copied.
void* move(void* p, std::size_t bytes, std::size_t new_bytes, std::size_t alignment,
           bool (*may_be)(const void*) noexcept, std::size_t apart = 0) noexcept;

// Whether the pages, which begin a mapping of `map`, are all alike. They are not when a part was
// advised, locked or protected.
bool are_alike(void* p, std::size_t bytes) noexcept;
// Pages that the program has made guards (MADV_GUARD_INSTALL) can be used again, and are zero. The
// system has no other sign of them: they look like the others.
void remove_guards(void* p, std::size_t bytes) noexcept;

// Gives back memory and addresses of `map` or `reserve`.
void unmap(void* p, std::size_t bytes) noexcept;

// Coarse and cheap; only differences mean something.
unsigned long long milliseconds() noexcept;

// Whether anything at the address can be read without a fault. For assertions.
bool is_mapped(const void* p) noexcept;

}  // namespace mallard::inline v1::detail::os
