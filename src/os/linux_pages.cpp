#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/huge_pages.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail::os {
namespace {

constinit std::atomic<bool> splits_huge_pages{false};
constinit std::atomic<bool> has_split{false};
constinit std::atomic<bool> keeps_off_used_addresses{false};

constexpr int mapping_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

void* map_anywhere(std::size_t bytes, int protection) noexcept {
  void* const p = mmap(nullptr, bytes, protection, mapping_flags, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

// Null when something is there.
void* map_at(std::uintptr_t address, std::size_t bytes, int protection) noexcept {
  constexpr int not_over_others = 0x100000;  // MAP_FIXED_NOREPLACE, of Linux 4.17: before, a hint
  void* const wanted = reinterpret_cast<void*>(address);
  void* const p = mmap(wanted, bytes, protection, mapping_flags | not_over_others, -1, 0);
  if (p == MAP_FAILED || p == wanted) return p == wanted ? p : nullptr;
  munmap(p, bytes);
  return nullptr;
}

// Maps with room to spare, of which both ends are cut off. The memory is not usable until then: if
// all is locked in memory, the spare room would have to be resident.
void* map_padded(std::size_t bytes, std::size_t alignment, int protection) noexcept {
  const std::size_t padded = bytes + alignment;
  if (padded < bytes) return nullptr;
  auto* const wide = static_cast<std::byte*>(map_anywhere(padded, PROT_NONE));
  if (wide == nullptr) return nullptr;
  const std::size_t before = round_up(address_of(wide), alignment) - address_of(wide);
  if (before != 0) munmap(wide, before);
  if (before != alignment) munmap(wide + before + bytes, alignment - before);
  if (protection == PROT_NONE || commit(wide + before, bytes)) return wide + before;
  munmap(wide + before, bytes);
  return nullptr;
}

// Where the last aligned mapping begins, and how far below it others follow before the system
// chooses again. Far, since what went before is there; not endless, as there are tables for what
// addresses hold.
constinit std::atomic<std::uintptr_t> last_begin{0};
constinit std::atomic<std::uintptr_t> lowest_begin{0};
constexpr std::uintptr_t followed_bytes = std::uintptr_t{1} << 38;

void* map_below_last(std::size_t bytes, std::size_t alignment, int protection) noexcept {
  constexpr int most_passed_by = 4;  // that lie there
  for (int i = 0; i < most_passed_by; ++i) {
    std::uintptr_t last = last_begin.load(std::memory_order_relaxed);
    std::uintptr_t begin = 0;
    do {
      if (last < bytes) return nullptr;
      begin = round_down(last - bytes, alignment);
      if (begin <= lowest_begin.load(std::memory_order_relaxed)) return nullptr;
    } while (!last_begin.compare_exchange_weak(last, begin, std::memory_order_relaxed));
    void* const p = map_at(begin, bytes, protection);
    if (p != nullptr || errno != EEXIST) return p;
  }
  return nullptr;
}

void note_chosen(std::uintptr_t begin) noexcept {
  lowest_begin.store(begin - smaller(begin, followed_bytes), std::memory_order_relaxed);
  last_begin.store(begin, std::memory_order_relaxed);
}

// Tries where the system puts it, then just below, since the system goes on from there. Only then
// it asks for room to spare; if addresses are limited there is none, and it tries single places.
void* map_where_chosen(std::size_t bytes, std::size_t alignment, int protection) noexcept {
  void* const anywhere = map_anywhere(bytes, protection);
  if (anywhere == nullptr || (address_of(anywhere) & (alignment - 1)) == 0) return anywhere;
  munmap(anywhere, bytes);
  const std::uintptr_t below = round_down(address_of(anywhere), alignment);
  if (void* const p = map_at(below, bytes, protection)) return p;
  if (void* const p = map_padded(bytes, alignment, protection)) return p;
  constexpr std::uintptr_t steps = 32;
  for (std::uintptr_t i = 1; i <= steps; ++i) {
    if (void* const p = map_at(below + i * alignment, bytes, protection)) return p;
    if (below <= i * alignment) continue;
    if (void* const p = map_at(below - i * alignment, bytes, protection)) return p;
  }
  return nullptr;
}

void* map_aligned(std::size_t bytes, std::size_t alignment, int protection) noexcept {
  if (bytes > PTRDIFF_MAX) return nullptr;
  bytes = round_up(bytes, page_size());
  const bool goes_on_below =
      alignment > page_size() && keeps_off_used_addresses.load(std::memory_order_relaxed);
  if (!goes_on_below) return map_where_chosen(bytes, alignment, protection);
  if (void* const p = map_below_last(bytes, alignment, protection)) return p;
  void* const p = map_where_chosen(bytes, alignment, protection);
  if (p != nullptr) note_chosen(address_of(p));
  return p;
}

struct page_range {
  void* begin;
  std::size_t bytes;
};

// The system rounds an end up and refuses an unaligned beginning: only whole pages inside are ours.
page_range whole_pages(void* p, std::size_t bytes) noexcept {
  const std::size_t page = page_size();
  const std::uintptr_t begin = round_up(address_of(p), page);
  const std::uintptr_t end = round_down(address_of(p) + bytes, page);
  return {reinterpret_cast<void*>(begin), end > begin ? end - begin : 0};
}

// Unmaps `bytes` and a page behind them, to whose start nothing could be moved. Some kernels unmap
// the target before they refuse, and what lies there since may be another thread's. Then it is not
// one mapping with the page behind, and cannot grow together with it: EFAULT.
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

// Huge pages that are split already, each at the place of its number.
constinit std::array<std::atomic<std::uint32_t>, 1024> split_pages{};

// Whether the range ends inside a huge page that may still be whole. Afterwards none is.
bool has_whole_huge_page(const page_range& range) noexcept {
  const std::uintptr_t begin = address_of(range.begin);
  const std::uintptr_t end = begin + range.bytes;
  bool found = false;
  for (std::uintptr_t at = round_down(begin, huge_page_bytes); at < end; at += huge_page_bytes) {
    const auto number = static_cast<std::uint32_t>(at / huge_page_bytes);
    std::atomic<std::uint32_t>& split = split_pages[number % split_pages.size()];
    const bool is_known = split.load(std::memory_order_relaxed) == number;
    // All of it goes, and a whole one may come to its place.
    const bool goes = begin <= at && at + huge_page_bytes <= end;
    if (is_known == !goes) continue;
    split.store(goes ? 0 : number, std::memory_order_relaxed);
    found |= !goes;
  }
  return found;
}

unsigned long long microseconds_of(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1'000'000 +
         static_cast<unsigned long long>(now.tv_nsec) / 1'000;
}

// If mprotect is forbidden, maps other memory there: for pages whose content nobody needs.
bool set_access(void* p, std::size_t bytes, int access) noexcept {
  if (mprotect(p, bytes, access) == 0) return true;
  if (errno != EPERM && errno != EACCES && errno != ENOSYS) return false;
  return mmap(p, bytes, access, mapping_flags | MAP_FIXED, -1, 0) == p;
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
  void* const p = map_aligned(bytes, alignment, PROT_READ | PROT_WRITE);
  if (p == nullptr) return nullptr;
  if (huge) madvise(p, bytes, MADV_HUGEPAGE);
  return p;
}

void* reserve(std::size_t bytes, std::size_t alignment) noexcept {
  return map_aligned(bytes, alignment, PROT_NONE);
}

bool reserve_at(void* p, std::size_t bytes) noexcept {
  return map_at(address_of(p), bytes, PROT_NONE) != nullptr;
}

void* map_zeros(std::size_t bytes) noexcept {
  return map_anywhere(bytes, PROT_READ);
}

bool commit(void* p, std::size_t bytes) noexcept {
  return set_access(p, bytes, PROT_READ | PROT_WRITE);
}

void protect(void* p, std::size_t bytes) noexcept {
  const page_range range = whole_pages(p, bytes);
  if (range.bytes != 0) set_access(range.begin, range.bytes, PROT_NONE);
}

void keep_off_used_addresses() noexcept {
  keeps_off_used_addresses.store(true, std::memory_order_relaxed);
}

void split_huge_pages_at_purge() noexcept {
  splits_huge_pages.store(true, std::memory_order_relaxed);
}

bool has_split_huge_pages() noexcept {
  return has_split.exchange(false, std::memory_order_relaxed);
}

// MADV_DONTNEED by itself leaves a huge page charged to the process's group, though the resident
// memory looks as if it had gone; MADV_FREE splits it at once.
void purge(void* p, std::size_t bytes, bool locked_too) noexcept {
  const page_range range = whole_pages(p, bytes);
  if (range.bytes == 0) return;
  const int error = errno;
  if (splits_huge_pages.load(std::memory_order_relaxed) && has_whole_huge_page(range)) {
    madvise(range.begin, range.bytes, MADV_FREE);
    has_split.store(true, std::memory_order_relaxed);
  }
  constexpr int dontneed_locked = 24;  // of Linux 5.18
  if (madvise(range.begin, range.bytes, MADV_DONTNEED) == 0 ||
      (locked_too && madvise(range.begin, range.bytes, dontneed_locked) == 0)) {
    errno = error;
  }
}

bool move(void* from, std::size_t bytes, void* to) noexcept {
  constexpr int keep_addresses = 4;  // MREMAP_DONTUNMAP, of Linux 5.7
  return mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED | keep_addresses, to) !=
         MAP_FAILED;
}

bool populate(void* p, std::size_t bytes) noexcept {
  // Kernels before Linux 5.14 do not know it, and are asked only once; musl's headers lack it, too.
  constexpr int populate_write = 23;  // MADV_POPULATE_WRITE
  static constinit std::atomic<bool> is_known{true};
  if (!is_known.load(std::memory_order_relaxed)) return false;
  if (madvise(p, bytes, populate_write) == 0) return true;
  if (errno == EINVAL) is_known.store(false, std::memory_order_relaxed);
  return false;
}

void prefer_huge_pages(void* p, std::size_t bytes) noexcept {
  madvise(p, bytes, MADV_HUGEPAGE);
}

void leave_pages_small(void* p, std::size_t bytes) noexcept {
  madvise(p, bytes, MADV_NOHUGEPAGE);
}

bool gives_huge_pages_when_asked() noexcept {
  if (page_size() != page_bytes) return false;  // huge ones are larger, too
  const int file = open("/sys/kernel/mm/transparent_hugepage/enabled", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 64> text{};
  const ssize_t length = read(file, text.data(), text.size() - 1);
  close(file);
  return length > 0 && std::strstr(text.data(), "[madvise]") != nullptr;
}

void* move(void* p, std::size_t bytes, std::size_t new_bytes, std::size_t alignment,
           bool (*may_be)(const void*) noexcept, std::size_t apart) noexcept {
  std::byte* const from = static_cast<std::byte*>(p) + apart;
  if (mremap(from, bytes - apart, new_bytes - apart, 0) != MAP_FAILED) return p;
  // With any other error the block is more than one mapping, or the call is forbidden.
  if (errno != ENOMEM) return nullptr;
  const std::size_t page = page_size();
  auto* const to = static_cast<std::byte*>(map_aligned(new_bytes + page, alignment, PROT_NONE));
  if (to == nullptr) return nullptr;
  if (!may_be(to) || (apart != 0 && !commit(to, apart))) {
    munmap(to, new_bytes + page);
    return nullptr;
  }
  if (mremap(from, bytes - apart, new_bytes - apart, MREMAP_MAYMOVE | MREMAP_FIXED, to + apart) !=
      MAP_FAILED) {
    munmap(to + new_bytes, page);
    if (apart != 0) {
      std::memcpy(to, p, apart);
      munmap(p, apart);
    }
    return to;
  }
  unmap_what_is_left(to, new_bytes, page);
  return nullptr;
}

// The system lets one mapping grow, if there is room, but not several.
bool are_alike(void* p, std::size_t bytes) noexcept {
  const std::size_t page = page_size();
  if (mremap(p, bytes, bytes + page, 0) == MAP_FAILED) return errno == ENOMEM;
  munmap(static_cast<std::byte*>(p) + bytes, page);
  return true;
}

// Headers older than Linux 6.13 do not name the advice.
void remove_guards(void* p, std::size_t bytes) noexcept {
  constexpr int guard_remove = 103;
  madvise(p, bytes, guard_remove);
}

void unmap(void* p, std::size_t bytes) noexcept {
  munmap(p, bytes);
}

bool is_mapped(const void* p) noexcept {
  unsigned char resident = 0;
  return mincore(reinterpret_cast<void*>(round_down(address_of(p), page_bytes)), 1, &resident) == 0;
}

unsigned long long milliseconds() noexcept {
  return microseconds_of(CLOCK_MONOTONIC_COARSE) / 1000;
}

unsigned long long thread_microseconds() noexcept {
  return microseconds_of(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace mallard::inline v1::detail::os
