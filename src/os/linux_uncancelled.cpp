#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mallard/detail/os/uncancelled.hpp"

namespace mallard::inline v1::detail::os {

long write(int descriptor, const char* text, std::size_t bytes) noexcept {
  return syscall(SYS_write, descriptor, text, bytes);
}

bool fill_randomly(void* p, std::size_t bytes) noexcept {
  return syscall(SYS_getrandom, p, bytes, GRND_NONBLOCK) == static_cast<long>(bytes);
}

}  // namespace mallard::inline v1::detail::os
