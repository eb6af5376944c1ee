#include "lab/mallocs/own_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>

namespace mallard::lab {
namespace {

// Two cache lines, because processors fetch pairs.
constexpr std::size_t line_bytes = 128;

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

own_memory::own_memory(std::size_t bytes) : size_(bytes) {
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  madvise(mapped, bytes, MADV_NOHUGEPAGE);  // resident bytes must equal the bytes used
  start_ = static_cast<std::byte*>(mapped);
}

own_memory::~own_memory() {
  munmap(start_, size_);
}

void* own_memory::take(std::size_t bytes, bool touch) {
  const std::size_t at = round_up(used_, line_bytes);
  if (at > size_ || bytes > size_ - at) throw std::bad_alloc();
  used_ = at + bytes;
  if (touch) {
    for (std::size_t i = 0; i < bytes; i += page_bytes()) {
      *const_cast<volatile std::byte*>(start_ + at + i) = std::byte{0};
    }
    if (bytes > 0) *const_cast<volatile std::byte*>(start_ + at + bytes - 1) = std::byte{0};
  }
  return start_ + at;
}

std::span<std::byte> own_memory::make_stack(std::size_t bytes) {
  used_ = round_up(used_, page_bytes());
  const std::size_t whole = round_up(bytes, page_bytes());
  return {static_cast<std::byte*>(take(whole, false)), whole};
}

std::uint64_t own_memory::resident_bytes() const {
  std::array<unsigned char, 4096> there;
  std::uint64_t pages = 0;
  const std::size_t page = page_bytes();
  for (std::size_t at = 0; at < used_; at += there.size() * page) {
    const std::size_t length = std::min(used_ - at, there.size() * page);
    if (mincore(start_ + at, length, there.data()) != 0) return 0;
    for (std::size_t i = 0; i < (length + page - 1) / page; ++i) pages += there[i] & 1U;
  }
  return pages * page;
}

}  // namespace mallard::lab
