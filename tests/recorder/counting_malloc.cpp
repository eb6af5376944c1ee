// A malloc that is the system's and counts from the first call on; what it has counted when the
// program ends it writes into the file that COUNTS_FILE names.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

extern "C" void* __libc_malloc(std::size_t);
extern "C" void* __libc_calloc(std::size_t, std::size_t);
extern "C" void* __libc_realloc(void*, std::size_t);
extern "C" void* __libc_memalign(std::size_t, std::size_t);
extern "C" void __libc_free(void*);

namespace {

std::atomic<unsigned long> allocations, frees, reallocations, bytes;

void* allocated(void* block, std::size_t size) {
  ++allocations;
  bytes += size;
  return block;
}

[[gnu::destructor]] void write_counts() {
  char text[200];
  const int length = std::snprintf(text, sizeof text, "%lu %lu %lu %lu", allocations.load(),
                                   frees.load(), reallocations.load(), bytes.load());
  const char* const name = std::getenv("COUNTS_FILE");
  const int file = name == nullptr ? -1 : open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600);
  if (file >= 0) (void)!write(file, text, static_cast<std::size_t>(length));
}

}  // namespace

extern "C" void* malloc(std::size_t size) noexcept {
  return allocated(__libc_malloc(size), size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) noexcept {
  return allocated(__libc_calloc(count, size), count * size);
}
extern "C" void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return allocated(__libc_memalign(alignment, size), size);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  return allocated(__libc_memalign(alignment, size), size);
}
extern "C" int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  *out = allocated(__libc_memalign(alignment, size), size);
  return 0;
}
extern "C" void* realloc(void* block, std::size_t size) noexcept {
  if (block == nullptr) return allocated(__libc_malloc(size), size);
  if (size == 0) {
    ++frees;
  } else {
    ++reallocations;
    bytes += size;
  }
  return __libc_realloc(block, size);
}
extern "C" void free(void* block) noexcept {
  if (block != nullptr) ++frees;
  __libc_free(block);
}
