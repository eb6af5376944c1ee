// A malloc that, preloaded to a program, keeps the processor for a while before the program begins.
#include <stddef.h>
#include <time.h>

extern "C" void* __libc_malloc(size_t bytes);
extern "C" void* malloc(size_t bytes) {
  return __libc_malloc(bytes);
}

namespace {

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

const bool started = [] {
  while (processor_seconds() < 0.3) {
  }
  return true;
}();

}  // namespace
