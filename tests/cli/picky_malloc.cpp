// A malloc that is the system's, but refuses blocks of 32 KiB: to see who really uses it.
#include <cerrno>
#include <cstddef>

extern "C" void* __libc_malloc(std::size_t bytes);

extern "C" void* malloc(std::size_t bytes) noexcept {
  if (bytes != 32768) return __libc_malloc(bytes);
  errno = ENOMEM;
  return nullptr;
}
