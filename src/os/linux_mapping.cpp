#include "mallard/detail/os/mapping.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstdio>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail::os {
namespace {

int error_of(long result) noexcept {
  return result == -1 ? errno : 0;
}

int map_over(void* p, std::size_t bytes, int protection, int flags) noexcept {
  const int all = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | flags;
  return mmap(p, bytes, protection, all, -1, 0) == p ? 0 : errno;
}

// PAGEMAP_SCAN of Linux 6.7, which Debian 12's headers do not have.
struct scanned_region {
  std::uint64_t start, end, categories;
};
struct scan_request {
  std::uint64_t size, flags, start, end, walk_end, regions, regions_length, max_pages, inverted,
      required, any_of, returned;
};
constexpr std::uint64_t is_present = 1 << 3;
constexpr std::uint64_t is_huge = 1 << 6;

enum class page_state { unknown, absent, small, huge };

page_state scan(std::uintptr_t page, std::size_t bytes) noexcept {
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (pagemap < 0) return page_state::unknown;
  scanned_region found{};
  scan_request request{};
  request.size = sizeof request;
  request.start = page;
  request.end = page + bytes;
  request.regions = address_of(&found);
  request.regions_length = 1;
  request.required = is_present;
  request.returned = is_present | is_huge;
  // The C libraries do not agree on the type of ioctl's number.
  const long regions = syscall(SYS_ioctl, pagemap, _IOWR('f', 16, scan_request), &request);
  close(pagemap);
  if (regions < 0) return page_state::unknown;
  if (regions == 0) return page_state::absent;
  return (found.categories & is_huge) != 0 ? page_state::huge : page_state::small;
}

struct smaps_entry {
  std::size_t bytes = 0;
  std::size_t kernel_page_bytes = 0;
  std::size_t huge_bytes = 0;
};

// The mapping around an address; all 0 when there is none.
smaps_entry read_smaps(std::uintptr_t address) noexcept {
  smaps_entry entry;
  std::FILE* const file = std::fopen("/proc/self/smaps", "re");
  if (file == nullptr) return entry;
  char line[512];
  bool inside = false;
  while (std::fgets(line, sizeof line, file) != nullptr) {
    unsigned long begin = 0;
    unsigned long end = 0;
    unsigned long kib = 0;
    char colon = 0;
    if (std::sscanf(line, "%lx-%lx %c", &begin, &end, &colon) == 3) {
      if (inside) break;
      inside = begin <= address && address < end;
      if (inside) entry.bytes = end - begin;
    } else if (inside && std::sscanf(line, "KernelPageSize: %lu", &kib) == 1) {
      entry.kernel_page_bytes = kib * 1024;
    } else if (inside && std::sscanf(line, "AnonHugePages: %lu", &kib) == 1) {
      entry.huge_bytes = kib * 1024;
    }
  }
  std::fclose(file);
  return entry;
}

}  // namespace

int set_access(void* p, std::size_t bytes, access allowed) noexcept {
  const int bits = allowed == access::write  ? PROT_READ | PROT_WRITE
                   : allowed == access::read ? PROT_READ
                                             : PROT_NONE;
  return error_of(mprotect(p, bytes, bits));
}

int make_usable(void* p, std::size_t bytes) noexcept {
  return commit(p, bytes) ? 0 : errno;
}

int make_fresh(void* p, std::size_t bytes) noexcept {
  return map_over(p, bytes, PROT_READ | PROT_WRITE, MAP_NORESERVE);
}

int make_unusable(void* p, std::size_t bytes) noexcept {
  return map_over(p, bytes, PROT_NONE, MAP_NORESERVE);
}

int fill(void* p, std::size_t bytes) noexcept {
  if (populate(p, bytes)) return 0;
  if (errno == ENOMEM || errno == EHWPOISON || errno == EFAULT) return errno;
  // Before Linux 5.14: page by page.
  const std::size_t step = page_size();
  for (std::size_t i = 0; i < bytes; i += step) {
    auto* const byte = static_cast<volatile char*>(p) + i;
    *byte = *byte;
  }
  return 0;
}

int lock(void* p, std::size_t bytes) noexcept {
  return error_of(mlock(p, bytes));
}

int name(void* p, std::size_t bytes, const char* text) noexcept {
  constexpr int set_vma = 0x53564d41;  // PR_SET_VMA
  constexpr unsigned long anon_name = 0;
  return error_of(prctl(set_vma, anon_name, p, bytes, text));
}

int make_usable_of_huge_pages(void* p, std::size_t bytes, std::size_t each) noexcept {
  const int log2 = std::countr_zero(each) << 26;  // MAP_HUGE_SHIFT
  // Not NORESERVE: without a reservation a missing page would raise SIGBUS instead of an error.
  return map_over(p, bytes, PROT_READ | PROT_WRITE, MAP_HUGETLB | log2);
}

int ask_for_huge_pages(void* p, std::size_t bytes) noexcept {
  return error_of(madvise(p, bytes, MADV_HUGEPAGE));
}

std::size_t page_bytes_behind(const void* p) noexcept {
  const std::size_t page = page_size();
  const std::uintptr_t start = round_down(address_of(p), page);
  if (!is_mapped(p)) return 0;
  const smaps_entry around = read_smaps(start);
  if (around.kernel_page_bytes > page) return around.kernel_page_bytes;
  switch (scan(start, page)) {
    case page_state::absent:
      return 0;
    case page_state::small:
      return page;
    case page_state::huge:
      return huge_page_bytes;
    case page_state::unknown:
      break;
  }
  if (resident_bytes(reinterpret_cast<void*>(start), page) == 0) return 0;
  return around.huge_bytes == around.bytes ? huge_page_bytes : page;
}

bool is_of_explicit_huge_pages(const void* p) noexcept {
  return read_smaps(address_of(p)).kernel_page_bytes > page_size();
}

std::size_t resident_bytes(const void* p, std::size_t bytes) noexcept {
  const std::size_t page = page_size();
  const auto* const begin = static_cast<const std::byte*>(p);
  std::size_t resident = 0;
  unsigned char states[256];
  for (std::size_t done = 0; done < bytes; done += sizeof states * page) {
    const std::size_t part = smaller(bytes - done, sizeof states * page);
    if (mincore(const_cast<std::byte*>(begin) + done, part, states) != 0) continue;
    for (std::size_t i = 0; i < part / page; ++i) resident += (states[i] & 1) != 0 ? page : 0;
  }
  return resident;
}

int collapse(void* p, std::size_t bytes) noexcept {
  constexpr int collapse_now = 25;  // MADV_COLLAPSE
  return error_of(madvise(p, bytes, collapse_now));
}

int set_nodes(void* p, std::size_t bytes, node_policy policy, std::uint64_t nodes) noexcept {
  constexpr unsigned long bits = 64 + 1;  // the kernel reads one less
  const bool any = nodes != 0;
  return error_of(syscall(SYS_mbind, p, bytes, static_cast<int>(policy), any ? &nodes : nullptr,
                          any ? bits : 0, 0));
}

int allowed_nodes(std::uint64_t& nodes) noexcept {
  constexpr unsigned long mems_allowed = 4;  // MPOL_F_MEMS_ALLOWED
  std::uint64_t words[16] = {};              // as many bits as a kernel may have nodes
  const int error =
      error_of(syscall(SYS_get_mempolicy, nullptr, words, sizeof words * 8, nullptr, mems_allowed));
  nodes = words[0];
  return error;
}

int node_behind(const void* p) noexcept {
  // With no nodes to move to, the call only reports, and does not touch the page.
  int status = -1;
  const void* pages[] = {p};
  if (syscall(SYS_move_pages, 0, 1UL, pages, nullptr, &status, 0) != 0) return -1;
  return status >= 0 ? status : -1;
}

}  // namespace mallard::inline v1::detail::os
