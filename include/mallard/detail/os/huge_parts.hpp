// Purpose: memory in huge pages of which parts go back. The system keeps a huge page whole as long
// as any part of it is in use, and counts it for the process, unless it is told to split it.
#pragma once

namespace mallard::inline v1::detail::os {

// From now on `purge` of a part splits the huge page around it first. That is a second call of the
// system's for each.
void split_huge_pages_at_purge() noexcept;

}  // namespace mallard::inline v1::detail::os
