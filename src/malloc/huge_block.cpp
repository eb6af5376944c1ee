#include "malloc/huge_block.hpp"

#include <algorithm>
#include <atomic>

#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

constinit std::atomic<std::size_t> blocks{0};
constinit std::atomic<std::size_t> mapped{0};

// Huge pages, where the system has them, from a size on at which a last one that is hardly used
// does not matter. For all of the mapping: only one of a kind can be moved.
void prefer_huge_pages(region* r) noexcept {
  if (r->huge_mapped >= 16 * os::huge_page_bytes) os::prefer_huge_pages(r, r->huge_mapped);
}

// What is beyond the last page of the payload need not stay.
void cut(region* r, std::size_t bytes) noexcept {
  const std::size_t least = round_up(r->huge_offset + bytes, os::page_bytes);
  os::unmap(reinterpret_cast<std::byte*>(r) + least, r->huge_mapped - least);
  mapped.fetch_sub(r->huge_mapped - least, std::memory_order_relaxed);
  r->huge_mapped = least;
}

}  // namespace

void* allocate_huge(std::size_t bytes, std::size_t alignment) noexcept {
  // The block must not begin at a region's start: that is where its mark is.
  if (alignment >= region_bytes) return nullptr;
  const std::size_t offset = std::max(alignment, os::page_bytes);
  const std::size_t needed = round_up(bytes + offset, os::page_bytes);
  if (needed < bytes) return nullptr;
  void* const start = os::map(needed, region_bytes, false);
  if (start == nullptr) return nullptr;
  auto* const r = static_cast<region*>(start);
  r->huge_mapped = needed;
  r->huge_offset = offset;
  std::byte* const p = static_cast<std::byte*>(start) + offset;
  r->set_marks(region::index_of(p), 1, huge_mark);
  prefer_huge_pages(r);
  blocks.fetch_add(1, std::memory_order_relaxed);
  mapped.fetch_add(needed, std::memory_order_relaxed);
  return p;
}

void deallocate_huge(void* p) noexcept {
  region* const r = region::of(p);
  blocks.fetch_sub(1, std::memory_order_relaxed);
  mapped.fetch_sub(r->huge_mapped, std::memory_order_relaxed);
  os::unmap(r, r->huge_mapped);
}

void* resize_huge(void* p, std::size_t bytes) noexcept {
  region* r = region::of(p);
  const std::size_t offset = r->huge_offset;
  const std::size_t old = r->huge_mapped;
  const std::size_t needed = round_up(bytes + offset, os::page_bytes);
  if (needed < bytes) return nullptr;
  if (needed <= old) {
    if (needed <= old / 2) cut(r, bytes);
    return p;
  }
  // Addresses cost nothing: with half as many again it seldom has to move.
  const std::size_t roomy = std::max(needed, old + old / 2);
  void* const start = os::move(r, old, roomy, region_bytes);
  if (start == nullptr) return nullptr;
  r = static_cast<region*>(start);
  r->huge_mapped = roomy;
  mapped.fetch_add(roomy - old, std::memory_order_relaxed);
  prefer_huge_pages(r);
  return static_cast<std::byte*>(start) + offset;
}

std::size_t huge_payload_bytes(const void* p) noexcept {
  const region* const r = region::of(p);
  return r->huge_mapped - r->huge_offset;
}

huge_usage_type huge_usage() noexcept {
  return {blocks.load(std::memory_order_relaxed), mapped.load(std::memory_order_relaxed)};
}

}  // namespace mallard::inline v1::detail
