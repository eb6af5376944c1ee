// Purpose: writes the heap profile as a file for pprof, and for `mallard top`, `report` and `diff`.
#pragma once

namespace mallard::inline v1::detail {

enum class existing_file : bool { is_replaced, is_an_error };

// Returns 0, or an error's number. Allocates nothing, and is no cancellation point.
int write_pprof(const char* path, existing_file existing) noexcept;

// Sets memory aside for the next file, which is wanted most where memory is used up.
void reserve_for_pprof() noexcept;

}  // namespace mallard::inline v1::detail
