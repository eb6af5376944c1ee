// A malloc that is the system's, but for some sizes crashes, hangs, or has no memory.
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "moody_sizes.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);

extern "C" void* malloc(std::size_t bytes) noexcept {
  if (bytes == mallard_test::crashing_size) std::abort();
  while (bytes == mallard_test::hanging_size) pause();
  if (bytes != mallard_test::refused_size) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}
