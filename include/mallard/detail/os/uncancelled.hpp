// Purpose: system calls for functions that must not be cancellation points, although the C
// library's own functions for them are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::os {

// Returns how many bytes were written; negative, with errno set, when refused.
long write(int descriptor, const char* text, std::size_t bytes) noexcept;

// Bits that nobody can tell beforehand, other ones at each call, and an odd number: zeroes written
// over it are seen. The first call asks the system, the others do not: a sandbox may end the
// program for that.
std::uint64_t random_bits() noexcept;

}  // namespace mallard::inline v1::detail::os
