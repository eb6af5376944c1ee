// Purpose: how the kinds of memory fail: one line each, with numbers in it.
#pragma once

#include <cstddef>

#include "mallard/memory/memory_error.hpp"

namespace mallard::inline v1::detail {

// Throws memory_error(fault, error, who, <format with the arguments>).
[[noreturn, gnu::format(printf, 4, 5)]] MALLARD_API MALLARD_COLD void fail_memory(
    memory_fault fault, int error, const char* who, const char* format, ...);

// Throws when no block can be of this size and alignment: before anything has been done.
MALLARD_API void check_request(const char* who, std::size_t bytes, std::size_t alignment,
                               std::size_t largest_alignment);

}  // namespace mallard::inline v1::detail
