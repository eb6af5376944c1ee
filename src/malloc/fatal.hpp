// Purpose: ends the program with one line that says what is wrong, and where.
#pragma once

#include <cstddef>

namespace mallard::inline v1::detail {

// Prints "mallard: WHAT: ADDRESS" to the standard error and aborts. Allocates nothing.
[[noreturn]] void fatal(const char* what, const void* where) noexcept;
// The same with "mallard: CALL of WHAT: ADDRESS".
[[noreturn]] void fatal(const char* call, const char* what, const void* where) noexcept;
// Prints "mallard: WHAT: ADDRESS, HAS bytes, not SAID" and goes on.
void warn_size(const char* what, const void* where, std::size_t has, std::size_t said) noexcept;
// Prints "mallard: WHAT" and goes on.
void warn(const char* what, const char* detail) noexcept;
// With the number of the error.
void warn_of_error(const char* what, const char* detail, int error) noexcept;

}  // namespace mallard::inline v1::detail
