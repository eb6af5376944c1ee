// Purpose: the heap profile as a file that pprof reads, and `mallard top`, `report` and `diff`.
#pragma once

namespace mallard::inline v1::detail {

// Returns 0, or the number of what went wrong. Allocates nothing, and is no cancellation point.
int write_pprof(const char* path) noexcept;

}  // namespace mallard::inline v1::detail
