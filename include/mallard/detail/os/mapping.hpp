// Purpose: what the kinds of memory ask of the system beyond plain pages. Functions that can be
// refused return 0 or the system's error number; nothing has changed then.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::os {

enum class access { none, read, write };  // each includes those before it

// Both take whole pages. `make_usable` also takes pages reserved without memory.
int set_access(void* p, std::size_t bytes, access allowed) noexcept;
int make_usable(void* p, std::size_t bytes) noexcept;
// Replaces whatever is there by zeros.
int make_fresh(void* p, std::size_t bytes) noexcept;
// Back to reserved addresses, without memory.
int make_unusable(void* p, std::size_t bytes) noexcept;
// Puts memory behind usable pages now.
int fill(void* p, std::size_t bytes) noexcept;
int lock(void* p, std::size_t bytes) noexcept;
// Shown in /proc/self/maps as [anon:NAME]; since Linux 5.17, where it was compiled in.
int name(void* p, std::size_t bytes, const char* text) noexcept;

// Explicit huge pages over reserved addresses, aligned to them.
int make_usable_of_huge_pages(void* p, std::size_t bytes, std::size_t page_bytes) noexcept;
// Asks for transparent huge pages; an error where the kernel has none.
int ask_for_huge_pages(void* p, std::size_t bytes) noexcept;
// Makes whole huge pages of usable memory, now; since Linux 6.1.
int collapse(void* p, std::size_t bytes) noexcept;
// The size of the page behind an address, including transparent huge pages; 0: none yet. Before
// Linux 6.7 transparent pages are reported only where all of a mapping consists of them.
std::size_t page_bytes_behind(const void* p) noexcept;

bool is_of_explicit_huge_pages(const void* p) noexcept;

// Memory policies (set_mempolicy(2)).
enum class node_policy { bind = 2, interleave = 3, preferred = 1, local = 4 };
int set_nodes(void* p, std::size_t bytes, node_policy policy, std::uint64_t nodes) noexcept;
// The nodes that this process may use; 0 and an error where there are no such things.
int allowed_nodes(std::uint64_t& nodes) noexcept;
// The bytes of whole pages that are in memory now.
std::size_t resident_bytes(const void* p, std::size_t bytes) noexcept;
// The node behind an address, or -1 where there is no memory yet.
int node_behind(const void* p) noexcept;

// Files, and shared memory, which is files of a file system in memory. exec closes the descriptors.
enum class file_mode { open, open_to_read, create };  // `create`: an error when it is there
int open_file(const char* path, file_mode mode, unsigned permissions, int& descriptor) noexcept;
int open_shared(const char* name, file_mode mode, unsigned permissions, int& descriptor) noexcept;
int remove_shared(const char* name) noexcept;
int open_anonymous(const char* name, int& descriptor) noexcept;
// Another descriptor of the same file, with locks of its own; the first one stays.
int open_again(int descriptor, bool writable, int& another) noexcept;
// Replaces the file of `descriptor` by that of `from`, and closes `from`.
int replace_descriptor(int descriptor, int from) noexcept;
void close_file(int descriptor) noexcept;
// An error unless it is a regular file.
int file_bytes(int descriptor, std::size_t& bytes) noexcept;
int read_file(int descriptor, void* p, std::size_t bytes, std::size_t offset) noexcept;
// Checks the process's own limit first, at which the system would send a signal.
int write_file(int descriptor, const void* p, std::size_t bytes, std::size_t offset) noexcept;
// Makes a file longer, with space for all of it: no later write can meet a full file system. Checks
// the process's own limit first, as `write_file` does.
int extend_file(int descriptor, std::size_t bytes) noexcept;
// Refusal is no failure.
void empty_file(int descriptor) noexcept;
int map_file(void* at, std::size_t bytes, int descriptor, bool shared) noexcept;
// Writes what was changed to the file.
int sync_file(void* p, std::size_t bytes) noexcept;
// A lock on a number, kept until the descriptor is closed or its process ends. EAGAIN, the same as
// EWOULDBLOCK: somebody else has it.
int lock_number(int descriptor, unsigned number, bool exclusive) noexcept;
void unlock_number(int descriptor, unsigned number) noexcept;

}  // namespace mallard::inline v1::detail::os
