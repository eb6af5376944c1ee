#include "malloc/huge_block.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "mallard/detail/os/memory_amounts.hpp"
#include "mallard/detail/os/pages.hpp"
#include "malloc/malloc_checks.hpp"

namespace mallard::inline v1::detail {
namespace {

// A region that is one huge block needs the mark of its first slice, and no others.
constexpr std::size_t region_bytes_of_huge =
    sizeof(region) - sizeof(region::marks) + sizeof(std::uintptr_t);

std::byte* end_of(region* r) noexcept {
  return reinterpret_cast<std::byte*>(r) + r->huge_mapped;
}

// The pages behind the block are mapped but not counted.
void add_guard(region* r) noexcept {
  if constexpr (checks::has_guards) os::protect(end_of(r), checks::guard_bytes());
}

void cut_mapping(region* r, std::size_t least) noexcept {
  const std::size_t gone = r->huge_mapped - least;
  r->huge_mapped = least;
  add_guard(r);
  if (gone != 0) os::unmap(end_of(r) + checks::guard_bytes(), gone);
}

// Changes that the owner made to the pages are looked for when a mapping is freed the first time.
[[maybe_unused]] bool is_as_mapped(region* r) noexcept {
  if (!r->huge_is_fresh) return true;
  os::remove_guards(r, r->huge_mapped);
  return os::are_alike(reinterpret_cast<std::byte*>(r) + r->huge_apart,
                       r->huge_mapped - r->huge_apart);
}

// The block must not begin at a region's start, where its mark is. If there is a guard page, it
// lies as near to that as it can.
std::size_t offset_of(std::size_t bytes, std::size_t alignment, std::size_t all) noexcept {
  return checks::has_guards ? round_down(all - bytes, alignment)
                            : std::max(alignment, os::page_bytes);
}

// Addresses cost nothing: with half as many again it seldom has to move. A guard page, though, must
// follow directly on what is used.
std::size_t room_for(std::size_t needed, std::size_t old) noexcept {
  return checks::has_guards ? needed : std::max(needed, round_up(old + old / 2, os::page_size()));
}

// Maps a page before a multiple of `alignment`, and what is behind it.
region* map_aligned(std::size_t needed, std::size_t alignment) noexcept {
  const std::size_t page = os::page_size();
  const std::size_t used = needed + checks::guard_bytes();
  const std::size_t all = used + alignment;
  if (all < used) return nullptr;
  auto* const wide = static_cast<std::byte*>(os::reserve(all));
  if (wide == nullptr) return nullptr;
  const std::size_t before = round_up(address_of(wide) + page, alignment) - page - address_of(wide);
  std::byte* const start = wide + before;
  if (before != 0) os::unmap(wide, before);
  if (before != alignment) os::unmap(start + used, alignment - before);
  if (checks::covers(start + page) && os::commit(start, used)) {
    return reinterpret_cast<region*>(start);
  }
  os::unmap(start, used);
  return nullptr;
}

}  // namespace

// Asks for huge pages from a size on at which a hardly used last one does not matter. For the whole
// mapping, because only a uniform one can be moved; and before it is touched, because a page that
// exists is not replaced by a huge one. A mapping that had as many bytes `before` is marked; a new
// one had none.
void huge_blocks::prefer_huge_pages(void* mapping, std::size_t bytes, std::size_t before) noexcept {
  const std::size_t least = least_of_huge_pages_.load(std::memory_order_relaxed);
  const bool is_marked = before != 0 && before >= least;
  if (bytes >= least && !is_marked) os::prefer_huge_pages(mapping, bytes + checks::guard_bytes());
}

// Memory beyond the last page of the payload need not stay.
void huge_blocks::cut(region* r, std::size_t least) noexcept {
  const std::size_t gone = r->huge_mapped - least;
  forget_spare(r);
  cut_mapping(r, least);
  mapped().fetch_sub(gone, std::memory_order_relaxed);
  budget_.give(gone);
}

// The end of a kept mapping has memory that its block may never touch: with a few such blocks, it
// is kept for the next ones, with many, or under a limit, they would take memory from others.
void huge_blocks::cut_unless_little(region* r, std::size_t needed) noexcept {
  const std::size_t spare = r->huge_mapped - needed;
  if (spare <= needed / 8) return;
  r->huge_spare = spare;
  const std::size_t all = spare_.fetch_add(spare, std::memory_order_relaxed) + spare;
  if (all > most_spare || budget_.is_set()) cut(r, needed);
}

void huge_blocks::forget_spare(region* r) noexcept {
  spare_.fetch_sub(std::exchange(r->huge_spare, 0), std::memory_order_relaxed);
}

// Moves the block with its contents to a mapping of so many bytes. Null when that is refused. The
// guard page lies where the mapping may grow in place, so it becomes a page of the block.
region* huge_blocks::move_to(region* r, std::size_t bytes) noexcept {
  const std::size_t old = r->huge_mapped;
  const std::size_t guard = checks::guard_bytes();
  if (!take_of_budget(bytes - old)) return nullptr;
  void* start = nullptr;
  if (!checks::has_guards || os::commit(end_of(r), guard)) {
    start = os::move(
        r, old + guard, bytes + guard, region_bytes,
        [](const void* p) noexcept { return checks::covers(p); }, r->huge_apart);
  }
  if (start == nullptr) {
    add_guard(r);
    budget_.give(bytes - old);
    return nullptr;
  }
  auto* const moved = static_cast<region*>(start);
  moved->huge_mapped = bytes;
  add_guard(moved);
  mapped().fetch_add(bytes - old, std::memory_order_relaxed);
  prefer_huge_pages(moved, bytes, old);
  return moved;
}

// Kept memory counts, too, and goes first.
bool huge_blocks::take_of_budget(std::size_t bytes) noexcept {
  return budget_.take(bytes) || (kept.trim() != 0 && budget_.take(bytes));
}

constinit std::atomic<std::size_t> huge_blocks::most_mappings_{os::usual_mappings};

void huge_blocks::look_at_system() noexcept {
  most_mappings_.store(os::most_mappings(), std::memory_order_relaxed);
}

// The rest is for slabs, for mappings that are kept, and for the program.
bool huge_blocks::leaves_mappings() const noexcept {
  constexpr std::size_t always = 16'384;
  constexpr std::size_t rest = 8'192;
  const std::size_t blocks = blocks_.load(std::memory_order_relaxed);
  if (blocks < always) return true;
  constexpr std::size_t of_block = checks::has_guards ? 2 : 1;
  return blocks * of_block + rest < most_mappings_.load(std::memory_order_relaxed);
}

region* huge_blocks::map(std::size_t needed) noexcept {
  const std::size_t all = needed + checks::guard_bytes();
  void* start = os::map(all, region_bytes, false);
  if (start == nullptr && kept.trim() != 0) start = os::map(all, region_bytes, false);
  if (start != nullptr && !checks::covers(start)) {
    os::unmap(start, all);
    return nullptr;
  }
  return static_cast<region*>(start);
}

void* huge_blocks::allocate(std::size_t bytes, std::size_t alignment, bool only_kept) noexcept {
  if (alignment > largest_alignment) return nullptr;
  const bool of_regions = alignment >= region_bytes;
  const std::size_t before = of_regions ? os::page_size() : std::max(alignment, os::page_bytes);
  const std::size_t needed = round_up(bytes + before, os::page_size());
  if (needed < bytes) return nullptr;
  const bool may_be_kept = !of_regions && (checks::has_guards || before == os::page_bytes);
  const std::size_t least = needed + checks::guard_bytes();
  const std::size_t most = 2 * needed < needed ? needed : 2 * needed;
  auto* r = may_be_kept ? static_cast<region*>(kept.take(least, most)) : nullptr;
  const bool is_fresh = r == nullptr;
  if (is_fresh) {
    if (only_kept || !leaves_mappings() || !take_of_budget(needed)) return nullptr;
    r = of_regions ? map_aligned(needed, alignment) : map(needed);
  }
  if (r == nullptr) {
    budget_.give(needed);
    return nullptr;
  }
  if (is_fresh) {
    prefer_huge_pages(r, needed, 0);
    r->huge_mapped = needed;
    r->huge_apart = 0;
    add_guard(r);
  } else if (checks::has_guards) {
    // The block begins in the mapping's first region.
    const std::size_t most_more = std::min(needed / 8, region_bytes / 2);
    fit_with_guard(r, needed, alignment <= os::page_bytes ? most_more : 0);
  }
  r->huge_is_fresh = is_fresh;
  void* const p = hand_out(r, of_regions ? before : offset_of(bytes, alignment, r->huge_mapped));
  cut_unless_little(r, needed);
  return p;
}

void* huge_blocks::hand_out(region* r, std::size_t offset) noexcept {
  r->huge_offset = offset;
  r->huge_spare = 0;
  std::byte* const p = reinterpret_cast<std::byte*>(r) + offset;
  region::huge_mark_of(p).store(slice_mark::huge().word(), std::memory_order_relaxed);
  checks::add_huge(p, *r);
  blocks_.fetch_add(1, std::memory_order_relaxed);
  mapped().fetch_add(r->huge_mapped, std::memory_order_relaxed);
  return p;
}

// For a kept mapping, which has room for a guard. If it is little larger, it stays as it is, and
// the pages that are not needed come before the block.
void huge_blocks::fit_with_guard(region* r, std::size_t needed, std::size_t most_more) noexcept {
  const std::size_t held = r->huge_mapped;
  const std::size_t used = held - needed <= most_more ? held : needed;
  budget_.give(held - used + checks::guard_bytes());
  cut_mapping(r, used);
}

// The first so many of a second are: each costs two threads that do nothing else 100 us.
bool huge_blocks::may_move() noexcept {
  constexpr unsigned most = 1000;
  const unsigned long long second = os::milliseconds() / 1000;
  if (moved_in_.exchange(second, std::memory_order_relaxed) != second) {
    moved_.store(0, std::memory_order_relaxed);
  }
  return moved_.load(std::memory_order_relaxed) < most &&
         moved_.fetch_add(1, std::memory_order_relaxed) < most;
}

// Keeps the pages, and behind them room for the next block's guard: at other addresses, so that
// those of the block fault, unless too many were moved lately. False, with nothing changed, when
// they may not be kept, or the owner may have changed some of them.
bool huge_blocks::keep_with_guard(region* r) noexcept {
  const std::size_t bytes = r->huge_mapped;
  const std::size_t all = bytes + checks::guard_bytes();
  std::byte* const guard = end_of(r);
  if (checks::must_clear() || all > budget_.may_keep(kept.bytes())) return false;
  if (!budget_.take(checks::guard_bytes())) return false;
  os::remove_guards(r, bytes);
  void* kept_at = r;
  if (may_move()) {
    kept_at = os::move(r, bytes, all, region_bytes,
                       [](const void* p) noexcept { return checks::covers(p); });
    if (kept_at == r) kept_at = nullptr;
  } else if (!os::are_alike(r, bytes)) {
    kept_at = nullptr;
  }
  if (kept_at == nullptr) {
    budget_.give(checks::guard_bytes());
    return false;
  }
  if (kept_at != r) os::unmap(guard, checks::guard_bytes());
  kept.give(kept_at, all);
  return true;
}

void huge_blocks::deallocate(void* p) noexcept {
  region* const r = region::of_huge(p);
  const std::size_t bytes = r->huge_mapped;
  blocks_.fetch_sub(1, std::memory_order_relaxed);
  budget_.note_use();
  mapped().fetch_sub(bytes, std::memory_order_relaxed);
  forget_spare(r);
  const bool is_at_start = address_of(r) % region_bytes == 0;
  if constexpr (checks::has_guards) {
    if (is_at_start && keep_with_guard(r)) return;
  } else if (is_at_start && r->huge_offset <= std::max(r->huge_apart, os::page_bytes) &&
             is_as_mapped(r)) {
    return kept.give(r, bytes);
  }
  os::unmap(r, bytes + checks::guard_bytes());
  budget_.give(bytes);
}

void* huge_blocks::resize(void* p, std::size_t bytes) noexcept {
  region* r = region::of_huge(p);
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
  forget_spare(r);
  // As soon as it has moved, another block may get its old addresses.
  checks::remove_huge(p);
  const std::size_t roomy = room_for(needed, old);
  region* grown = move_to(r, roomy);
  if (grown == nullptr && roomy != needed) grown = move_to(r, needed);
  r = grown == nullptr ? r : grown;
  std::byte* const now = reinterpret_cast<std::byte*>(r) + offset;
  checks::add_huge(now, *r);
  return grown == nullptr ? nullptr : now;
}

// Bytes of the block before its first whole page lie behind the header, which is a mapping of its
// own to the system.
void* huge_blocks::take_over(void* p, std::size_t have, std::size_t bytes) noexcept {
  const std::size_t page = os::page_size();
  auto* const block = static_cast<std::byte*>(p);
  const std::size_t before = round_up(address_of(p), page) - address_of(p);
  const std::size_t pages = round_down(have - before, page);
  const std::size_t behind = have - before - pages;
  const std::size_t header = round_up(region_bytes_of_huge + before, page);
  const std::size_t used = header + pages;
  // Where neighbouring memory was advised otherwise, the pages could be moved, but not grow there.
  if (!os::are_alike(block + before, pages) || !take_of_budget(used)) return nullptr;
  region* const r = map(used);
  if (r == nullptr) {
    budget_.give(used);
    return nullptr;
  }
  std::byte* const there = reinterpret_cast<std::byte*>(r) + header;
  if (!os::move(block + before, pages, there)) {
    os::unmap(r, used);
    budget_.give(used);
    return nullptr;
  }
  r->huge_mapped = used;
  r->huge_apart = header;
  r->huge_is_fresh = true;
  void* const taken = hand_out(r, header - before);
  auto* const grown = static_cast<std::byte*>(resize(taken, bytes));
  if (grown == nullptr) {
    std::memcpy(block + before, there, pages);
    deallocate(taken);
    return nullptr;
  }
  std::memcpy(grown, block, before);
  std::memcpy(grown + before + pages, block + before + pages, behind);
  std::memset(block + before + pages, 0, behind);
  return grown;
}

bool is_behind_unused(const void* p, std::size_t bytes) noexcept {
  return checks::has_guards && region::of_huge(p)->huge_offset - os::page_bytes > bytes / 4;
}

std::size_t huge_payload_bytes(const void* p) noexcept {
  const region* const r = region::of_huge(p);
  return r->huge_mapped - r->huge_offset;
}

bool is_fresh_huge(const void* p) noexcept {
  return mark_of(p).is_huge() && region::of_huge(p)->huge_is_fresh;
}

}  // namespace mallard::inline v1::detail
