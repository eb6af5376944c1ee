// Purpose: writes the heap profile as a file for pprof, and for `mallard top`, `report` and `diff`.
#pragma once

namespace mallard::inline v1::detail {

// Returns 0, or an error's number. Allocates nothing, and is no cancellation point.
int write_pprof(const char* path) noexcept;

}  // namespace mallard::inline v1::detail
