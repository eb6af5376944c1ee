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
  if (is_request(bytes, alignment, largest_alignment)) return;
  if (!is_power_of_two(alignment) || alignment > largest_alignment) {
    fail_memory(memory_fault::bad_alignment, EINVAL, who,
                "alignment %zu is no power of two up to %zu", alignment, largest_alignment);
  }
  fail_memory(memory_fault::bad_size, ENOMEM, who, "no object has %zu bytes", bytes);
}

}  // namespace mallard::inline v1::detail
