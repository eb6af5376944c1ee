// A system whose pages are PAGE_BYTES large, by preloading: calls that such a system refuses are
// refused, and lengths are rounded up as it would.
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" long __sysconf(int name);

namespace {

constexpr std::size_t page = MALLARD_PAGE_BYTES;

std::size_t whole(std::size_t bytes) {
  return (bytes + page - 1) / page * page;
}

bool is_aligned(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p) % page == 0;
}

int refuse() {
  errno = EINVAL;
  return -1;
}

// With room to spare, of which both ends are cut off.
void* map_anywhere(std::size_t bytes, int protection, int flags) {
  const long wide = syscall(SYS_mmap, nullptr, bytes + page, protection, flags, -1, 0);
  if (wide == -1) return MAP_FAILED;
  const auto begin = static_cast<std::size_t>(wide);
  const std::size_t first = whole(begin);
  if (first != begin) syscall(SYS_munmap, begin, first - begin);
  if (first - begin != page) syscall(SYS_munmap, first + bytes, page - (first - begin));
  return reinterpret_cast<void*>(first);
}

}  // namespace

extern "C" {

long sysconf(int name) {
  return name == _SC_PAGESIZE ? static_cast<long>(page) : __sysconf(name);
}

void* mmap(void* p, std::size_t bytes, int protection, int flags, int fd, off_t offset) {
  if ((flags & MAP_ANONYMOUS) == 0) {
    return reinterpret_cast<void*>(syscall(SYS_mmap, p, bytes, protection, flags, fd, offset));
  }
  if (p == nullptr) return map_anywhere(whole(bytes), protection, flags);
  if (!is_aligned(p)) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, p, whole(bytes), protection, flags, fd, offset));
}

int munmap(void* p, std::size_t bytes) {
  return is_aligned(p) ? static_cast<int>(syscall(SYS_munmap, p, whole(bytes))) : refuse();
}

int mprotect(void* p, std::size_t bytes, int protection) {
  if (!is_aligned(p)) return refuse();
  return static_cast<int>(syscall(SYS_mprotect, p, whole(bytes), protection));
}

int madvise(void* p, std::size_t bytes, int advice) {
  if (!is_aligned(p)) return refuse();
  return static_cast<int>(syscall(SYS_madvise, p, whole(bytes), advice));
}

void* mremap(void* p, std::size_t bytes, std::size_t new_bytes, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void* const to = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  if (!is_aligned(p) || !is_aligned(to)) {
    errno = EINVAL;
    return MAP_FAILED;
  }
  return reinterpret_cast<void*>(syscall(SYS_mremap, p, whole(bytes), whole(new_bytes), flags, to));
}

}  // extern "C"
