#include "malloc/huge_block.hpp"

#include <algorithm>
#include <atomic>

#include "mallard/detail/os/pages.hpp"
#include "malloc/memory_limit.hpp"
#include "malloc_checks.hpp"

namespace mallard::inline v1::detail {
namespace {

constinit std::atomic<std::size_t> blocks{0};
constinit std::atomic<std::size_t> mapped{0};
constinit std::atomic<bool> wants_huge_pages{true};

// Huge pages, where the system has them, from a size on at which a last one that is hardly used
// does not matter. For all of the mapping: only one of a kind can be moved.
void prefer_huge_pages(region* r) noexcept {
  if (!wants_huge_pages.load(std::memory_order_relaxed)) return;
  if (r->huge_mapped >= 16 * os::huge_page_bytes) os::prefer_huge_pages(r, r->huge_mapped);
}

std::byte* end_of(region* r) noexcept {
  return reinterpret_cast<std::byte*>(r) + r->huge_mapped;
}

// What is behind the block, mapped but not counted.
void add_guard(region* r) noexcept {
  if constexpr (checks::has_guards) os::protect(end_of(r), checks::guard_bytes());
}

// What is beyond the last page of the payload need not stay.
void cut(region* r, std::size_t least) noexcept {
  const std::size_t gone = r->huge_mapped - least;
  r->huge_mapped = least;
  add_guard(r);
  os::unmap(end_of(r) + checks::guard_bytes(), gone);
  mapped.fetch_sub(gone, std::memory_order_relaxed);
  the_limit.give(gone);
}

// The block must not begin at a region's start: that is where its mark is. Before a guard page the
// block lies as near as it can.
std::size_t offset_of(std::size_t bytes, std::size_t alignment, std::size_t all) noexcept {
  return checks::has_guards ? round_down(all - bytes, alignment)
                            : std::max(alignment, os::page_bytes);
}

// Addresses cost nothing: with half as many again it seldom has to move. But a guard page has to be
// behind what is used.
std::size_t room_for(std::size_t needed, std::size_t old) noexcept {
  return checks::has_guards ? needed : std::max(needed, round_up(old + old / 2, os::page_size()));
}

// With its contents, to a mapping of so many bytes. Null when that is refused.
region* move_to(region* r, std::size_t bytes) noexcept {
  const std::size_t old = r->huge_mapped;
  if (!the_limit.take(bytes - old)) return nullptr;
  void* const start = os::move(r, old, bytes + checks::guard_bytes(), region_bytes);
  if (start == nullptr) {
    the_limit.give(bytes - old);
    return nullptr;
  }
  if constexpr (checks::has_guards) {
    os::unmap(reinterpret_cast<std::byte*>(r) + old, checks::guard_bytes());
  }
  auto* const moved = static_cast<region*>(start);
  moved->huge_mapped = bytes;
  add_guard(moved);
  mapped.fetch_add(bytes - old, std::memory_order_relaxed);
  prefer_huge_pages(moved);
  return moved;
}

}  // namespace

void* allocate_huge(std::size_t bytes, std::size_t alignment) noexcept {
  if (alignment >= region_bytes) return nullptr;
  const std::size_t needed = round_up(bytes + std::max(alignment, os::page_bytes), os::page_size());
  if (needed < bytes) return nullptr;
  if (!the_limit.take(needed)) return nullptr;
  const std::size_t offset = offset_of(bytes, alignment, needed);
  void* const start = os::map(needed + checks::guard_bytes(), region_bytes, false);
  if (start == nullptr || !checks::covers(start)) {
    if (start != nullptr) os::unmap(start, needed + checks::guard_bytes());
    the_limit.give(needed);
    return nullptr;
  }
  auto* const r = static_cast<region*>(start);
  r->huge_mapped = needed;
  r->huge_offset = offset;
  std::byte* const p = static_cast<std::byte*>(start) + offset;
  r->set_marks(region::index_of(p), 1, huge_mark);
  prefer_huge_pages(r);
  add_guard(r);
  checks::add_huge(p, *r);
  blocks.fetch_add(1, std::memory_order_relaxed);
  mapped.fetch_add(needed, std::memory_order_relaxed);
  return p;
}

void deallocate_huge(void* p) noexcept {
  region* const r = region::of(p);
  blocks.fetch_sub(1, std::memory_order_relaxed);
  mapped.fetch_sub(r->huge_mapped, std::memory_order_relaxed);
  the_limit.give(r->huge_mapped);
  os::unmap(r, r->huge_mapped + checks::guard_bytes());
}

void* resize_huge(void* p, std::size_t bytes) noexcept {
  region* r = region::of(p);
  checks::using_huge(p, *r);
  const std::size_t offset = r->huge_offset;
  const std::size_t old = r->huge_mapped;
  const std::size_t needed = round_up(bytes + offset, os::page_size());
  if (needed < bytes) return nullptr;
  if (needed <= old) {
    if (needed <= old / 2 || (checks::has_guards && needed != old)) cut(r, needed);
    checks::add_huge(p, *r);
    return p;
  }
  // As soon as it has moved, its old addresses may be another's.
  checks::remove_huge(p);
  const std::size_t roomy = room_for(needed, old);
  region* grown = move_to(r, roomy);
  if (grown == nullptr && roomy != needed) grown = move_to(r, needed);
  r = grown == nullptr ? r : grown;
  std::byte* const now = reinterpret_cast<std::byte*>(r) + offset;
  checks::add_huge(now, *r);
  return grown == nullptr ? nullptr : now;
}

std::size_t huge_payload_bytes(const void* p) noexcept {
  const region* const r = region::of(p);
  return r->huge_mapped - r->huge_offset;
}

void set_huge_pages(bool on) noexcept {
  wants_huge_pages.store(on, std::memory_order_relaxed);
}

huge_usage_type huge_usage() noexcept {
  return {blocks.load(std::memory_order_relaxed), mapped.load(std::memory_order_relaxed)};
}

}  // namespace mallard::inline v1::detail
