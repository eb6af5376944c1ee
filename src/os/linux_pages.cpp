#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail::os {
namespace {

void* map_anywhere(std::size_t bytes, int protection) noexcept {
  void* const p =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

// With room to spare at first, of which both ends are cut off.
void* map_aligned(std::size_t bytes, std::size_t alignment, int protection) noexcept {
  const std::size_t padded = bytes + alignment;
  if (padded < bytes) return nullptr;
  auto* const wide = static_cast<std::byte*>(map_anywhere(padded, protection));
  if (wide == nullptr) return nullptr;
  const std::size_t before = round_up(address_of(wide), alignment) - address_of(wide);
  if (before != 0) munmap(wide, before);
  if (before != alignment) munmap(wide + before + bytes, alignment - before);
  return wide + before;
}

// Of a mapping of `bytes` and a page behind them, to whose start nothing could be moved. Some
// kernels unmap the target before they refuse, and what lies there since may be another thread's.
// Then it is not one mapping with the page behind, and cannot grow together with it: EFAULT.
void unmap_what_is_left(std::byte* p, std::size_t bytes, std::size_t page) noexcept {
  const std::size_t all = bytes + page;
  if (mremap(p, all, all + page, 0) != MAP_FAILED) {
    munmap(p, all + page);
  } else if (errno == EFAULT) {
    munmap(p + bytes, page);
  } else {
    munmap(p, all);
  }
}

}  // namespace

std::size_t page_size() noexcept {
  static constinit std::atomic<std::size_t> known{0};
  std::size_t bytes = known.load(std::memory_order_relaxed);
  if (bytes == 0) {
    const long told = sysconf(_SC_PAGESIZE);
    bytes = told > 0 ? static_cast<std::size_t>(told) : page_bytes;
    known.store(bytes, std::memory_order_relaxed);
  }
  return bytes;
}

void* map(std::size_t bytes, std::size_t alignment, bool huge) noexcept {
  auto* p = static_cast<std::byte*>(map_anywhere(bytes, PROT_READ | PROT_WRITE));
  if (p == nullptr) return nullptr;
  if ((address_of(p) & (alignment - 1)) != 0) {
    munmap(p, bytes);
    p = static_cast<std::byte*>(map_aligned(bytes, alignment, PROT_READ | PROT_WRITE));
    if (p == nullptr) return nullptr;
  }
  if (huge) madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

void* reserve(std::size_t bytes) noexcept {
  return map_anywhere(bytes, PROT_NONE);
}

bool commit(void* p, std::size_t bytes) noexcept {
  return mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0;
}

void protect(void* p, std::size_t bytes) noexcept {
  mprotect(p, bytes, PROT_NONE);
}

void purge(void* p, std::size_t bytes) noexcept {
  madvise(p, bytes, MADV_DONTNEED);
}

bool move(void* from, std::size_t bytes, void* to) noexcept {
  constexpr int keep_addresses = 4;  // MREMAP_DONTUNMAP, of Linux 5.7
  return mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | keep_addresses, to) !=
         MAP_FAILED;
}

bool populate(void* p, std::size_t bytes) noexcept {
#ifdef MADV_POPULATE_WRITE
  return madvise(p, bytes, MADV_POPULATE_WRITE) == 0;
#else
  return false;
#endif
}

void prefer_huge_pages(void* p, std::size_t bytes) noexcept {
  madvise(p, bytes, MADV_HUGEPAGE);
}

void* move(void* p, std::size_t bytes, std::size_t new_bytes, std::size_t alignment) noexcept {
  if (mremap(p, bytes, new_bytes, 0) != MAP_FAILED) return p;
  // When it is not for want of room, the block is more than one mapping or the call is forbidden.
  if (errno != ENOMEM) return nullptr;
  const std::size_t page = page_size();
  auto* const to = static_cast<std::byte*>(map_aligned(new_bytes + page, alignment, PROT_NONE));
  if (to == nullptr) return nullptr;
  if (mremap(p, bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED) {
    munmap(to + new_bytes, page);
    return to;
  }
  unmap_what_is_left(to, new_bytes, page);
  return nullptr;
}

void unmap(void* p, std::size_t bytes) noexcept {
  munmap(p, bytes);
}

std::size_t physical_memory_bytes() noexcept {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes)
                                : 0;
}

unsigned long long milliseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1000 +
         static_cast<unsigned long long>(now.tv_nsec) / 1'000'000;
}

}  // namespace mallard::inline v1::detail::os
