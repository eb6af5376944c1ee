// Purpose: memory in huge pages of which parts go back. The system keeps a huge page whole, and
// counts it for the process, as long as any part of it is in use, unless it is told to split it.
#pragma once

#include <cstddef>

namespace mallard::inline v1::detail::os {

// Whether `prefer_huge_pages` makes a difference: the system gives huge pages, not to all. Reads a
// file, so programs in a sandbox ask before they enter it.
bool gives_huge_pages_when_asked() noexcept;

// Takes back what was asked for by `prefer_huge_pages`. Huge pages that are there already stay.
void leave_pages_small(void* p, std::size_t bytes) noexcept;

// From now on `purge` of a part first splits the huge page around it, by a second system call.
void split_huge_pages_at_purge() noexcept;

// Whether any was split since the last call.
bool has_split_huge_pages() noexcept;

// The processor's time of the calling thread, with the system's for it.
unsigned long long thread_microseconds() noexcept;

}  // namespace mallard::inline v1::detail::os
