#include "mallard/detail/memory/failures.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>

namespace mallard::inline v1::detail {

void fail_memory(memory_fault fault, int error, const char* who, const char* format, ...) {
  char doing[160];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(doing, sizeof doing, format, arguments);
  va_end(arguments);
  throw memory_error(fault, error, who, doing);
}

void check_request(const char* who, std::size_t bytes, std::size_t alignment,
                   std::size_t largest_alignment) {
  // Without an instruction for it the compiler calls a function to count bits.
  const bool is_power = alignment != 0 && (alignment & (alignment - 1)) == 0;
  if (!is_power || alignment > largest_alignment) {
    fail_memory(memory_fault::bad_alignment, EINVAL, who,
                "alignment %zu is no power of two up to %zu", alignment, largest_alignment);
  }
  // No object is larger than PTRDIFF_MAX, so neither is one with what it takes to align it.
  if (bytes > PTRDIFF_MAX - alignment) {
    fail_memory(memory_fault::bad_size, ENOMEM, who, "no object has %zu bytes", bytes);
  }
}

}  // namespace mallard::inline v1::detail
