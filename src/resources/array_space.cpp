// Most blocks lie in segments, where a `fit_heap` splits and coalesces them, so that a block can
// grow into free memory behind or before it. Segments come from upstream and double up to 4 MiB.
// Over the page source they are address ranges instead, which cost nothing until they are touched;
// `used` records how far blocks have reached, and only that much is given back to the system.
//
// A block from 64 KiB on that is expected to grow gets a range of its own with room behind it
// ("lone"). It grows in place until the range ends; then `move` moves its pages to a larger range.
// A process has few ranges: when none is left, blocks go to segments. Blocks of 1 MiB and more keep
// their memory when freed, up to about 8 MiB or a quarter of the most that was in use; those beyond
// go back to the system at once. Smaller pieces, and empty segments, wait for `trim`; and so does
// what a huge page gives to a block's free neighbours.
#include "mallard/detail/resources/array_space.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/ring.hpp"
#include "mallard/detail/os/mapping.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/resources/address_ranges.hpp"
#include "mallard/page_source.hpp"

namespace mallard::inline v1::detail {
namespace {

template <class Segment>
using segment_ring = ring<Segment, &Segment::next, &Segment::prev>;

template <class Segment>
void unlink(Segment*& list, Segment* s) noexcept {
  Segment* const next = segment_ring<Segment>::remove(s);
  if (list == s) list = next;
}

struct page_range {
  std::byte* begin;
  std::byte* end;
  std::size_t bytes() const noexcept {
    return begin < end ? static_cast<std::size_t>(end - begin) : 0;
  }
};

page_range pages_within(void* p, std::size_t bytes) noexcept {
  auto* const begin = static_cast<std::byte*>(p);
  const std::size_t before = round_up(address_of(p), os::page_bytes) - address_of(p);
  const std::size_t behind = (address_of(p) + bytes) % os::page_bytes;
  return {begin + before, begin + bytes - behind};
}

}  // namespace

array_space::array_space(std::pmr::memory_resource* upstream) noexcept
    : upstream_(upstream), ranges_(upstream == page_source::instance()) {}

void* array_space::allocate(std::size_t bytes, std::size_t alignment, bool roomy) {
  if (void* const p = try_allocate(bytes, alignment, roomy)) return p;
  return add_and_allocate(get_segment(segment_bytes_for(bytes, alignment), next_segment_bytes_),
                          bytes, alignment);
}

void* array_space::try_allocate(std::size_t bytes, std::size_t alignment, bool roomy) noexcept {
  if (roomy && ranges_ && bytes >= lone_bytes && alignment <= 16) {
    if (void* const p = allocate_lone(bytes)) return p;
  }
  void* const p = heap_.allocate(bytes, alignment);
  if (p == nullptr) return nullptr;
  note_reach(p);
  if (kept_bytes_ != 0 && bytes >= purged_bytes) [[unlikely]] {
    reuse_kept(p, payload_bytes(p));
  }
  return p;
}

// Blocks of earlier segments do not matter: those count as used to their ends.
void array_space::note_reach(void* p) noexcept {
  segment* const s = segments_;
  const std::size_t end = address_of(fit_block::of(p)->following() + 1) - address_of(s->range());
  if (end - s->used < s->bytes - s->used) s->used = end;
}

std::size_t array_space::segment_bytes_for(std::size_t bytes, std::size_t alignment) const {
  // A block of this size is found in a bin of blocks up to a sixteenth larger.
  constexpr std::size_t largest = ~std::size_t{0} / 4;
  if (bytes > largest || alignment > largest) throw std::bad_alloc();
  return round_up(segment_header_bytes + fit_heap::first_segment_overhead() + bytes + bytes / 16 +
                      2 * std::max<std::size_t>(alignment, 64),
                  os::page_bytes);
}

array_space::fresh_segment array_space::get_segment(std::size_t least,
                                                    std::size_t preferred) const {
  const auto from_upstream = [&](std::size_t bytes) {
    return fresh_segment{upstream_->allocate(bytes, segment_header_bytes), bytes};
  };
  if (!ranges_) {
    try {
      return from_upstream(std::max(least, preferred));
    } catch (...) {
      if (preferred <= least) throw;
    }
    return from_upstream(least);
  }
  const address_range range = take_range(least, range_use::segment);
  if (range.begin == nullptr) throw std::bad_alloc();
  return {range.begin, range.bytes};
}

void* array_space::add_and_allocate(fresh_segment fresh, std::size_t bytes,
                                    std::size_t alignment) noexcept {
  auto* const s = ::new (fresh.p) segment{nullptr, nullptr, fresh.bytes, 0, 0, false};
  if (!ranges_) next_segment_bytes_ = std::min(next_segment_bytes_ * 2, largest_step_bytes);
  if (segments_ != nullptr) segments_->used = segments_->bytes;
  segment_ring<segment>::insert_before(segments_, s);
  segments_ = s;
  shared_reserved_ += s->bytes;
  heap_.add_segment(reinterpret_cast<std::byte*>(s) + segment_header_bytes,
                    s->bytes - segment_header_bytes);
  void* const p = heap_.allocate(bytes, alignment);
  MALLARD_ASSERT(p != nullptr && "the segment has room for it");
  note_reach(p);
  return p;
}

// Null also when too many blocks of the process have a range of their own: the next ones go to
// segments. The block's address differs from that of `like` by a multiple of `unit`, a power of 2.
void* array_space::allocate_lone(std::size_t bytes, const void* like, std::size_t unit) noexcept {
  const std::size_t needed = fit_block::bytes_for(bytes);
  const std::size_t overhead = segment_header_bytes + 2 * fit_block::header_bytes + (unit - 1);
  if (needed == 0 || needed + overhead < needed) return nullptr;
  const address_range range = take_range(needed + overhead, range_use::block);
  if (range.begin == nullptr) return nullptr;
  const std::uintptr_t first =
      address_of(range.begin) + segment_header_bytes + fit_block::header_bytes;
  const std::size_t before = (address_of(like) - first) & (unit - 1);
  auto* const s =
      ::new (range.begin + before) segment{nullptr, nullptr, range.bytes, before, 0, false};
  segment_ring<segment>::insert_before(lone_, s);
  lone_ = s;
  auto* const b = reinterpret_cast<fit_block*>(range.begin + before + segment_header_bytes);
  b->bytes_and_flags = needed | fit_block::lone;
  b->mark_redzone();
  s->used = address_of(b->following()) - address_of(range.begin);
  ++lone_blocks_;
  lone_in_use_ += needed;
  lone_reserved_ += range.bytes;
  return b->payload();
}

array_space::segment* array_space::segment_of_lone(void* p) noexcept {
  return reinterpret_cast<segment*>(reinterpret_cast<std::byte*>(fit_block::of(p)) -
                                    segment_header_bytes);
}

void array_space::give_range_of(segment* s) noexcept {
  unpoison(s->range(), std::min(s->used + redzone_bytes, s->bytes));
  if (s->patched) {
    drop_range({s->range(), s->bytes});
  } else {
    give_range({s->range(), s->bytes}, s->used);
  }
}

void array_space::drop_lone(void* p) noexcept {
  segment* const s = segment_of_lone(p);
  --lone_blocks_;
  lone_in_use_ -= fit_block::of(p)->bytes();
  lone_reserved_ -= s->bytes;
  unlink(lone_, s);
  give_range_of(s);
}

// For assertions. Inspects only a few segments, so that giving back does not take longer the more
// there are. If there are others, a block in none of these counts as one of theirs; only then the
// system is asked whether there is a header.
bool array_space::owns(void* p) const noexcept {
  constexpr int most = 16;
  if (p == nullptr || address_of(p) % 16 != 0) return false;
  const fit_block* const b = fit_block::of(p);
  // The segment that it is in; else the first one not inspected, or null when there is none.
  const auto look = [&](const segment* list, auto&& has_block, bool& found) {
    const segment* s = list;
    for (int looked_at = 0; s != nullptr && looked_at < most; ++looked_at) {
      found = has_block(s);
      if (found) return s;
      s = s->next != list ? s->next : nullptr;
    }
    return s;
  };
  bool found = false;
  const segment* const alone = look(
      lone_,
      [&](const segment* s) { return address_of(b) == address_of(s) + segment_header_bytes; },
      found);
  if (found) return true;
  const segment* const shared = look(
      segments_,
      [&](const segment* s) {
        return address_of(b) - address_of(s) - segment_header_bytes <
               s->bytes - s->before - segment_header_bytes;
      },
      found);
  if (!found && ((alone == nullptr && shared == nullptr) || !os::is_mapped(b))) return false;
  if (b->is(fit_block::free)) return false;
  return b->is(fit_block::lone) ? !found && alone != nullptr : shared != nullptr;
}

void array_space::deallocate(void* p) noexcept {
  MALLARD_AUDIT(owns(p) && "a block of another resource, or of another size, or given back twice");
  fit_block* const b = fit_block::of(p);
  if (b->is(fit_block::lone)) return drop_lone(p);
  if (b->bytes() >= purged_bytes) [[unlikely]] {
    keep_or_purge(p, b->payload_bytes());
  }
  heap_.deallocate(p);
}

// Whether a large block that is freed keeps its memory depends on how much does by now. A program
// that fills such arrays again and again would take each page anew each time: half of the heap's
// time in a loader of columns.
void array_space::keep_or_purge(void* p, std::size_t bytes) noexcept {
  most_in_use_ = std::max(most_in_use_, heap_.in_use_bytes());
  if (kept_bytes_ + bytes > std::max(least_kept_bytes, most_in_use_ / 4)) {
    purge(p, bytes);
    bytes -= pages_within(p, bytes).bytes();
  }
  kept_bytes_ += bytes;
}

// A block may have memory that was kept, that was purged, or that nobody has used yet. Only the
// system knows how much is there, and asking costs little beside what fills a large block. Parts of
// pages at a block's ends count as kept when it is purged, and as reused when another comes.
void array_space::reuse_kept(void* p, std::size_t bytes) noexcept {
  const page_range pages = pages_within(p, bytes);
  const std::size_t there = bytes - pages.bytes() + os::resident_bytes(pages.begin, pages.bytes());
  kept_bytes_ -= std::min(kept_bytes_, there);
}

// Purges the whole pages of what is no longer needed.
void array_space::purge(void* p, std::size_t bytes) noexcept {
  if (!ranges_) return;
  const page_range pages = pages_within(p, bytes);
  if (pages.bytes() != 0) os::purge(pages.begin, pages.bytes());
}

std::size_t array_space::expand(void* p, std::size_t minimum, std::size_t preferred) noexcept {
  MALLARD_AUDIT(owns(p) && "not an expandable block of this resource");
  fit_block* const b = fit_block::of(p);
  if (!b->is(fit_block::lone)) {
    const std::size_t now = heap_.expand(p, minimum, preferred);
    note_reach(p);
    return now;
  }
  if (b->payload_bytes() >= preferred) return b->payload_bytes();
  segment* const s = segment_of_lone(p);
  const std::size_t room =
      round_down(s->bytes - s->before - segment_header_bytes - fit_block::header_bytes, 16);
  const std::size_t least = fit_block::bytes_for(minimum);
  const std::size_t wanted = fit_block::bytes_for(preferred);
  if (least == 0 || least > room) return 0;
  const std::size_t bytes = wanted == 0 ? room : std::min(wanted, room);
  lone_in_use_ += bytes - b->bytes();
  b->bytes_and_flags = bytes | (b->bytes_and_flags & fit_block::kept_flags);
  unpoison(p, b->payload_bytes());
  b->mark_redzone();
  s->used = std::max<std::size_t>(s->used, address_of(b->following()) - address_of(s->range()));
  return b->payload_bytes();
}

void* array_space::expand_backward(void* p, std::size_t minimum, std::size_t preferred,
                                   std::size_t step) noexcept {
  MALLARD_AUDIT(owns(p) && "not an expandable block of this resource");
  if (fit_block::of(p)->is(fit_block::lone)) return nullptr;
  void* const front = heap_.expand_backward(p, minimum, preferred, step);
  if (front != nullptr) note_reach(front);
  return front;
}

std::size_t array_space::shrink(void* p, std::size_t bytes) noexcept {
  MALLARD_AUDIT(owns(p) && "not an expandable block of this resource");
  fit_block* const b = fit_block::of(p);
  const std::size_t old = b->payload_bytes();
  const std::size_t wanted = fit_block::bytes_for(bytes);
  if (wanted == 0 || wanted >= b->bytes()) return old;
  auto* const rest = static_cast<std::byte*>(p) + bytes;
  if (!b->is(fit_block::lone)) {
    if (old - bytes >= purged_bytes) purge(rest, old - bytes);
    return heap_.shrink(p, bytes);
  }
  segment* const s = segment_of_lone(p);
  const auto to_end = static_cast<std::size_t>(s->range() + s->bytes - rest);
  purge(rest, std::min(to_end, to_end_of_huge_page(rest, old - bytes)));
  lone_in_use_ -= b->bytes() - wanted;
  b->bytes_and_flags = wanted | (b->bytes_and_flags & fit_block::kept_flags);
  poison(static_cast<std::byte*>(p) + b->payload_bytes(), old - b->payload_bytes() + redzone_bytes);
  return b->payload_bytes();
}

array_space::segment* array_space::segment_around(void* p) noexcept {
  if (fit_block::of(p)->is(fit_block::lone)) return segment_of_lone(p);
  segment* s = segments_;
  while (address_of(p) - address_of(s->range()) >= s->bytes) s = s->next;
  return s;
}

void* array_space::move(void* p, std::size_t old, std::size_t bytes) noexcept {
  if (!ranges_ || old < moved_bytes) return nullptr;
  segment* const home = segment_around(p);
  if (home->patched) return nullptr;  // it has too many mappings already
  const std::size_t alignment = alignment_of(p);
  const std::size_t unit =
      std::max(old < 4 * os::huge_page_bytes ? os::page_bytes : os::huge_page_bytes, alignment);
  auto* const from = static_cast<std::byte*>(p);
  auto* const to = static_cast<std::byte*>(allocate_lone(bytes, p, unit));
  if (to == nullptr) return nullptr;
  // Moves whole pages; a range has two mappings, and the system moves pages of one at a time.
  const std::uintptr_t border = address_of(home->range()) + small_pages_bytes;
  const std::size_t first = round_up(address_of(p), os::page_bytes) - address_of(p);
  const std::size_t last = round_down(address_of(p) + old, os::page_bytes) - address_of(p);
  const std::size_t middle = std::clamp(border - address_of(p), first, last);
  segment_of_lone(to)->patched = true;
  if (alignment > 16) fit_block::of(to)->bytes_and_flags |= fit_block::aligned;
  const auto move_pages = [&](std::size_t begin, std::size_t end) {
    return begin == end || os::move(from + begin, end - begin, to + begin);
  };
  const bool low_moved = move_pages(first, middle);
  if (!low_moved || !move_pages(middle, last)) {
    if (low_moved) std::memcpy(from + first, to + first, middle - first);
    drop_lone(to);
    return nullptr;
  }
  std::memcpy(to, from, first);
  std::memcpy(to + last, from + last, old - last);
  deallocate(p);
  return to;
}

array_space::detached_segments array_space::detach_empty() noexcept {
  detached_segments empty;
  most_in_use_ = kept_bytes_ = 0;
  if (segments_ == nullptr) return empty;
  if (heap_.in_use_blocks() == 0) {
    heap_.reset();
    while (segments_ != nullptr) detach(segments_, empty);
    return empty;
  }
  segment* s = segments_;
  do {
    segment* const next = s->next;
    const bool last = next == segments_;
    if (heap_.remove_segment(reinterpret_cast<std::byte*>(s) + segment_header_bytes,
                             s->bytes - segment_header_bytes) != 0) {
      detach(s, empty);
    }
    if (last) break;
    s = next;
  } while (segments_ != nullptr);
  if (ranges_) {
    heap_.for_each_free(os::page_bytes, [&](void* p, std::size_t bytes) { purge(p, bytes); });
  }
  return empty;
}

void array_space::detach(segment* s, detached_segments& list) noexcept {
  unlink(segments_, s);
  s->next = static_cast<segment*>(list.first);
  list.first = s;
  list.bytes += s->bytes;
  shared_reserved_ -= s->bytes;
}

void array_space::give_back(detached_segments list) const noexcept {
  for (auto* s = static_cast<segment*>(list.first); s != nullptr;) {
    segment* const gone = s;
    s = s->next;
    const std::size_t bytes = gone->bytes;
    unpoison(gone, bytes);
    if (ranges_) {
      give_range_of(gone);
    } else {
      upstream_->deallocate(gone, bytes, segment_header_bytes);
    }
  }
}

void array_space::release(bool forget) noexcept {
#ifdef MALLARD_MARKS_MEMORY
  forget = false;  // what is given back must not stay poisoned
#endif
  heap_.reset();
  while (lone_ != nullptr) {
    segment* const s = lone_;
    unlink(lone_, s);
    give_range_of(s);
  }
  lone_blocks_ = lone_in_use_ = lone_reserved_ = most_in_use_ = kept_bytes_ = 0;
  detached_segments all;
  while (!forget && segments_ != nullptr) detach(segments_, all);
  segments_ = nullptr;
  shared_reserved_ = 0;
  give_back(all);
  next_segment_bytes_ = first_segment_bytes;
}

}  // namespace mallard::inline v1::detail
