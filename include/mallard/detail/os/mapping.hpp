// Purpose: what the kinds of memory ask of the system beyond plain pages. Functions that can be
// refused return 0 or the system's error number; nothing has changed then.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::os {

enum class access { none, read, write };  // each with what is before it

// Of whole pages. `make_usable` also where they have been reserved without memory.
int set_access(void* p, std::size_t bytes, access allowed) noexcept;
int make_usable(void* p, std::size_t bytes) noexcept;
// Back to reserved addresses, without memory.
int make_unusable(void* p, std::size_t bytes) noexcept;
// Puts memory behind usable pages now.
int fill(void* p, std::size_t bytes) noexcept;
int lock(void* p, std::size_t bytes) noexcept;
// In /proc/self/maps, as [anon:NAME]; since Linux 5.17, where it was compiled in.
int name(void* p, std::size_t bytes, const char* text) noexcept;

// Explicit huge pages over reserved addresses, aligned to them.
int make_usable_of_huge_pages(void* p, std::size_t bytes, std::size_t page_bytes) noexcept;
// Asks for transparent ones; an error where the kernel has none.
int ask_for_huge_pages(void* p, std::size_t bytes) noexcept;
// Makes whole huge pages of what is usable there, now; since Linux 6.1.
int collapse(void* p, std::size_t bytes) noexcept;
// The size of the page behind an address, transparent huge pages included; 0: none yet. Before
// Linux 6.7 transparent pages are told only where all of a mapping is of them.
std::size_t page_bytes_behind(const void* p) noexcept;

bool is_of_explicit_huge_pages(const void* p) noexcept;

// Memory policies (set_mempolicy(2)).
enum class node_policy { bind = 2, interleave = 3, preferred = 1, local = 4 };
int set_nodes(void* p, std::size_t bytes, node_policy policy, std::uint64_t nodes) noexcept;
// The nodes this process may use; 0 and an error where there is no such thing.
int allowed_nodes(std::uint64_t& nodes) noexcept;
// How many bytes of whole pages are in memory now.
std::size_t resident_bytes(const void* p, std::size_t bytes) noexcept;
// The node behind an address, or -1 where there is no memory yet.
int node_behind(const void* p) noexcept;

}  // namespace mallard::inline v1::detail::os
