// A malloc that is the system's and counts its calls, in the file that COUNTS_FILE names: to see
// what a kernel really calls.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

#include "counted_calls.hpp"

extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* __libc_calloc(std::size_t count, std::size_t bytes);
extern "C" void* __libc_realloc(void* block, std::size_t bytes);
extern "C" void __libc_free(void* block);

namespace {

mallard_test::counted_calls* open_counts() {
  const char* path = std::getenv("COUNTS_FILE");
  const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) return nullptr;
  void* mapped = mmap(nullptr, sizeof(mallard_test::counted_calls), PROT_READ | PROT_WRITE,
                      MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? nullptr : static_cast<mallard_test::counted_calls*>(mapped);
}

// Before the library is set up there is nothing to count.
mallard_test::counted_calls* counts = nullptr;
[[gnu::constructor]] void start() {
  counts = open_counts();
}

void count(mallard_test::counted_calls::kind kind, std::size_t bytes) {
  if (!counts) return;
  ++counts->calls[kind];
  counts->bytes += static_cast<std::int64_t>(bytes);
  if (counts->last.exchange(kind) != kind) ++counts->changes;
}

}  // namespace

extern "C" void* malloc(std::size_t bytes) noexcept {
  count(mallard_test::counted_calls::malloc, bytes);
  return __libc_malloc(bytes);
}
extern "C" void* calloc(std::size_t number, std::size_t bytes) noexcept {
  count(mallard_test::counted_calls::calloc, number * bytes);
  return __libc_calloc(number, bytes);
}
extern "C" void* realloc(void* block, std::size_t bytes) noexcept {
  count(mallard_test::counted_calls::realloc, bytes);
  return __libc_realloc(block, bytes);
}
extern "C" void free(void* block) noexcept {
  if (block) count(mallard_test::counted_calls::free, 0);
  __libc_free(block);
}
