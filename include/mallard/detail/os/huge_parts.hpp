// Purpose: memory in huge pages of which parts go back. The system keeps a huge page whole, and
// counts it for the process, as long as any part of it is in use, unless it is told to split it.
#pragma once

namespace mallard::inline v1::detail::os {

// From now on `purge` of a part first splits the huge page around it, by a second system call.
void split_huge_pages_at_purge() noexcept;

}  // namespace mallard::inline v1::detail::os
