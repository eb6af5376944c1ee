// Purpose: ends the program with one line that says what was done wrong, and where.
#pragma once

namespace mallard::inline v1::detail {

// Prints "mallard: WHAT: ADDRESS" to the standard error and aborts. Allocates nothing.
[[noreturn]] void fatal(const char* what, const void* where) noexcept;

// Prints "mallard: WHAT" and goes on.
void warn(const char* what, const char* detail) noexcept;

}  // namespace mallard::inline v1::detail
