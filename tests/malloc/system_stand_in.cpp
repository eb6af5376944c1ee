#include "malloc/system_stand_in.hpp"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <time.h>

extern "C" {
int __real_clock_gettime(clockid_t, timespec*);
void* __real_mremap(void*, size_t, size_t, int, void*);
int __real_madvise(void*, size_t, int);

int __wrap_clock_gettime(clockid_t clock, timespec* now) {
  const int code = __real_clock_gettime(clock, now);
  if (clock != CLOCK_THREAD_CPUTIME_ID) now->tv_sec += malloc_test::seconds_later;
  return code;
}

void* __wrap_mmap(void* p, size_t bytes, int protection, int flags, int file, off_t offset) {
  if (!malloc_test::refuses.load()()) {
    return __real_mmap(p, bytes, protection, flags, file, offset);
  }
  errno = ENOMEM;
  return MAP_FAILED;
}

void* __wrap_mremap(void* p, size_t bytes, size_t new_bytes, int flags, ...) {
  va_list more;
  va_start(more, flags);
  void* const to = (flags & MREMAP_FIXED) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  if (!malloc_test::refuses_move.load()(to, bytes, new_bytes)) {
    return __real_mremap(p, bytes, new_bytes, flags, to);
  }
  errno = ENOMEM;
  return MAP_FAILED;
}

int __wrap_madvise(void* p, size_t bytes, int advice) {
  if (!malloc_test::refuses.load()()) return __real_madvise(p, bytes, advice);
  errno = ENOMEM;
  return -1;
}
}
