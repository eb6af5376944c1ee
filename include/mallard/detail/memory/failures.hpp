// Purpose: throws the failures of the kinds of memory: one line each, with numbers in it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/memory/memory_error.hpp"

namespace mallard::inline v1::detail {

// Throws memory_error(fault, error, who, <format with the arguments>).
[[noreturn, gnu::format(printf, 4, 5)]] MALLARD_API MALLARD_COLD void fail_memory(
    memory_fault fault, int error, const char* who, const char* format, ...);

// The reason why there is no block, for callers that throw; those that return null ignore it.
struct refusal {
  memory_fault fault = memory_fault::full;
  int error = 0;
};

// True if a block can be of this size and alignment. No object is larger than PTRDIFF_MAX, so
// neither is one with the bytes that align it.
inline bool is_request(std::size_t bytes, std::size_t alignment,
                       std::size_t largest_alignment) noexcept {
  return is_power_of_two(alignment) && alignment <= largest_alignment &&
         bytes <= PTRDIFF_MAX - alignment;
}

// Throws when it is no request, before anything was done.
MALLARD_API void check_request(const char* who, std::size_t bytes, std::size_t alignment,
                               std::size_t largest_alignment);

}  // namespace mallard::inline v1::detail
