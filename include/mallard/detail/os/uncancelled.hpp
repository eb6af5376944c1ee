// Purpose: system calls for functions that must not be cancellation points, although the C
// library's own functions for them are.
#pragma once

#include <cstddef>

#include "mallard/detail/config.hpp"

namespace mallard::inline v1::detail::os {

// Returns how many bytes were written; negative, with errno set, when refused.
long write(int descriptor, const char* text, std::size_t bytes) noexcept;

// False, with errno set, when the system has no random bytes at once.
bool fill_randomly(void* p, std::size_t bytes) noexcept;

}  // namespace mallard::inline v1::detail::os
