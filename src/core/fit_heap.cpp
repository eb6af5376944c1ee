#include "mallard/detail/core/fit_heap.hpp"

#include <algorithm>
#include <bit>

#include "mallard/detail/core/annotate.hpp"

namespace mallard::inline v1::detail {

std::size_t fit_heap::first_segment_overhead() noexcept {
  return segment_overhead + round_up(sizeof(bins), 16);
}

inline fit_block* fit_heap::find(std::size_t bytes) const noexcept {
  if (bins_ == nullptr) return nullptr;
  if (fit_block* const b = find_in_bins(bytes)) return b;
  return top_ != nullptr && top_->bytes() >= bytes ? top_ : nullptr;
}

fit_block* fit_heap::find_free(std::size_t least) const noexcept {
  return bins_ == nullptr ? nullptr : find(least);
}

// The first block of the first bin in which every block is large enough.
inline fit_block* fit_heap::find_in_bins(std::size_t bytes) const noexcept {
  std::size_t rounded = bytes;
  if (bytes >= linear_limit) {
    const auto step = std::size_t{1} << (std::bit_width(bytes) - 5);
    rounded = round_up(bytes, step);
    if (rounded < bytes) return nullptr;
  }
  const std::size_t bin = bin_of(rounded);
  std::size_t word = bin / 64;
  std::uint64_t found = bins_->map[word] >> (bin % 64) << (bin % 64);
  if (found == 0) {
    const std::uint64_t later = word == 63 ? 0 : bins_->summary >> (word + 1) << (word + 1);
    if (later == 0) return nullptr;
    word = static_cast<std::size_t>(std::countr_zero(later));
    found = bins_->map[word];
  }
  fit_block* const b = bins_->first[word * 64 + static_cast<std::size_t>(std::countr_zero(found))];
  return b->bytes() >= bytes ? b : nullptr;  // only the last bin has smaller ones
}

inline void fit_heap::insert(fit_block* b) noexcept {
  if (top_ == nullptr && b->following()->bytes() == 0) {
    top_ = b;
    return;
  }
  const std::size_t bin = bin_of(b->bytes());
  const std::uint64_t bit = std::uint64_t{1} << (bin % 64);
  std::uint64_t& word = bins_->map[bin / 64];
  fit_block* const head = (word & bit) != 0 ? bins_->first[bin] : nullptr;
  fit_block* const last = head != nullptr ? head->bin_prev : b;
  const bool goes_behind = head != nullptr && b->is(fit_block::purged);
  b->bin_next = goes_behind ? nullptr : head;
  b->bin_prev = last;
  if (goes_behind) last->bin_next = b;
  if (head != nullptr) head->bin_prev = b;
  if (!goes_behind) bins_->first[bin] = b;
  word |= bit;
  bins_->summary |= std::uint64_t{1} << (bin / 64);
}

void fit_heap::remove(fit_block* b) noexcept {
  if (is_counted(b)) unpurged_bytes_ -= count_of(b);
  if (b == top_) {
    top_ = nullptr;
    return;
  }
  const std::size_t bin = bin_of(b->bytes());
  fit_block* const head = bins_->first[bin];
  fit_block* const next = b->bin_next;
  if (b != head) {
    b->bin_prev->bin_next = next;
    (next != nullptr ? next : head)->bin_prev = b->bin_prev;
    return;
  }
  bins_->first[bin] = next;
  if (next != nullptr) {
    next->bin_prev = b->bin_prev;
    return;
  }
  std::uint64_t& word = bins_->map[bin / 64];
  word &= ~(std::uint64_t{1} << (bin % 64));
  if (word == 0) bins_->summary &= ~(std::uint64_t{1} << (bin / 64));
}

// The block before is in use: two free blocks are never neighbours.
void fit_heap::make_free(fit_block* b, std::size_t bytes, std::size_t unpurged) noexcept {
  unpoison(&b->bytes_and_flags, sizeof(fit_block) - sizeof(b->prev_bytes));
  const std::size_t purged = unpurged == 0 ? std::size_t{fit_block::purged} : 0;
  b->bytes_and_flags = bytes | fit_block::free | purged;
  fit_block* const next = b->at(bytes);
  unpoison(next, redzone_bytes);
  next->prev_bytes = bytes;
  next->bytes_and_flags |= fit_block::after_free;
  if (is_counted(b)) {
    constexpr std::size_t header_and_count = sizeof(fit_block) + sizeof(std::size_t);
    count_of(b) = std::clamp(unpurged, header_and_count, bytes);
    unpurged_bytes_ += count_of(b);
  }
  insert(b);
  poison(b + 1, bytes - sizeof(fit_block));
}

inline void fit_heap::make_used(fit_block* b, std::size_t bytes) noexcept {
  b->bytes_and_flags = bytes | (b->bytes_and_flags & (fit_block::after_free | fit_block::aligned));
  b->at(bytes)->bytes_and_flags &= ~std::size_t{fit_block::after_free};
  b->mark_redzone();
}

namespace {

// The part of `unpurged` bytes that is behind the first `bytes`.
constexpr std::size_t beyond(std::size_t unpurged, std::size_t bytes) noexcept {
  return unpurged - smaller(unpurged, bytes);
}

void wipe(fit_block* header) noexcept {
  unpoison(header, sizeof *header);  // the block before it may end in a red zone there
  *header = {};
}

}  // namespace

// Removes a free block that will be joined with `before` bytes in front of it, of which so many are
// `unpurged`. Returns its bytes.
inline std::size_t fit_heap::take_following(fit_block* next, std::size_t before,
                                            std::size_t& unpurged) noexcept {
  const std::size_t bytes = next->bytes();
  remove(next);
  if (next->is(fit_block::purged)) {
    wipe(next);
  } else {
    unpurged = before + unpurged_of(next);
  }
  return bytes;
}

// Keeps `bytes` of a used block, of which so many are `unpurged`, and frees the rest, if that is
// enough for a block.
void fit_heap::cut(fit_block* b, std::size_t bytes, std::size_t unpurged) noexcept {
  std::size_t rest = b->bytes() - bytes;
  if (rest == 0) return;
  fit_block* const next = b->following();
  const bool joins = next->is(fit_block::free);
  if (!joins && rest < fit_block::smallest_bytes) return;
  unpurged = beyond(unpurged, bytes);
  if (joins) rest += take_following(next, rest, unpurged);
  make_used(b, bytes);
  make_free(b->at(bytes), rest, unpurged);
}

void fit_heap::add_segment(void* p, std::size_t bytes, bool is_fresh) noexcept {
  segment_bytes_ += bytes;
  auto* begin = static_cast<std::byte*>(p);
  std::byte* const end = begin + round_down(bytes, 16) - fit_block::header_bytes;
  if (bins_ == nullptr) {
    bins_ = reinterpret_cast<bins*>(begin);
    bins_->summary = 0;
    bins_->map.fill(0);
    begin += round_up(sizeof(bins), 16);
  }
  auto* const last = reinterpret_cast<fit_block*>(end);
  last->bytes_and_flags = 0;  // in use for ever
  auto* const b = reinterpret_cast<fit_block*>(begin);
  const auto free_bytes = static_cast<std::size_t>(end - begin);
  make_free(b, free_bytes, is_fresh ? 0 : free_bytes);
}

void fit_heap::extend_segment(void* p, std::size_t bytes, bool is_fresh) noexcept {
  auto* const b =
      reinterpret_cast<fit_block*>(static_cast<std::byte*>(p) - fit_block::header_bytes);
  segment_bytes_ += bytes;
  b->at(bytes)->bytes_and_flags = 0;  // the segment's end, as in `add_segment`
  b->bytes_and_flags |= bytes;
  join_free(b, is_fresh ? 0 : bytes);
}

void fit_heap::take_out(fit_block* b, std::byte* begin, fit_block* rest) noexcept {
  fit_block* const next = b->following();
  const std::size_t unpurged = unpurged_of(b);
  std::byte* const end =
      rest == nullptr ? next->at(fit_block::header_bytes)->as_bytes() : rest->as_bytes();
  remove(b);
  unpoison(b + 1, b->bytes() - sizeof(fit_block));
  segment_bytes_ -= static_cast<std::size_t>(end - begin);
  if (rest != nullptr) {
    const auto skipped = static_cast<std::size_t>(rest->as_bytes() - b->as_bytes());
    make_free(rest, static_cast<std::size_t>(next->as_bytes() - rest->as_bytes()),
              beyond(unpurged, skipped));
  }
  if (begin <= b->as_bytes()) return;
  auto* const last = reinterpret_cast<fit_block*>(begin - fit_block::header_bytes);
  last->bytes_and_flags = 0;
  const auto kept = static_cast<std::size_t>(last->as_bytes() - b->as_bytes());
  make_free(b, kept, smaller(unpurged, kept));
}

std::size_t fit_heap::remove_segment(void* p, std::size_t bytes, bool only_purged) noexcept {
  if (static_cast<void*>(bins_) == p) return 0;
  auto* const b = static_cast<fit_block*>(p);
  if (!b->is(fit_block::free)) return 0;
  if (b->bytes() != round_down(bytes, 16) - fit_block::header_bytes) return 0;
  const std::size_t unpurged = std::max(unpurged_of(b), sizeof *b);
  if (only_purged && unpurged >= least_counted) return 0;
  remove(b);
  unpoison(p, bytes);
  segment_bytes_ -= bytes;
  return unpurged;
}

void* fit_heap::allocate(std::size_t bytes, std::size_t alignment, bool* is_zero) noexcept {
  const std::size_t needed = fit_block::bytes_for(bytes);
  if (needed == 0) return nullptr;
  const std::size_t slack = alignment <= 16 ? 0 : alignment + fit_block::smallest_bytes;
  if (needed + slack < needed) return nullptr;
  fit_block* b = find(needed + slack);
  if (b == nullptr) return nullptr;
  std::size_t unpurged = unpurged_of(b);
  if (is_zero != nullptr) *is_zero = unpurged == 0;
  remove(b);
  const std::size_t whole = b->bytes();
  unpoison(b + 1, whole - sizeof(fit_block));
  if (slack != 0) {
    const std::uintptr_t start = address_of(b->payload());
    std::uintptr_t aligned = round_up(start, alignment);
    if (aligned != start && aligned - start < fit_block::smallest_bytes) {
      aligned = round_up(start + fit_block::smallest_bytes, alignment);
    }
    if (const std::size_t gap = aligned - start; gap != 0) {
      fit_block* const inner = b->at(gap);
      inner->bytes_and_flags = whole - gap;
      make_free(b, gap, smaller(unpurged, gap));
      unpurged = beyond(unpurged, gap);
      b = inner;
    }
  }
  if (slack != 0) b->bytes_and_flags |= fit_block::aligned;
  make_used(b, b->bytes());
  cut(b, needed, unpurged);
  ++in_use_blocks_;
  in_use_bytes_ += b->bytes();
  return b->payload();
}

void fit_heap::deallocate(void* p, std::size_t unpurged) noexcept {
  fit_block* const b = fit_block::of(p);
  const std::size_t bytes = b->bytes();
  --in_use_blocks_;
  in_use_bytes_ -= bytes;
  const bool is_less = counts_unpurged && unpurged < bytes;
  join_free(b, is_less ? smaller(unpurged + fit_block::header_bytes, bytes) : bytes);
}

// Joins a block with its free neighbours.
void fit_heap::join_free(fit_block* b, std::size_t unpurged) noexcept {
  std::size_t bytes = b->bytes();
  if (fit_block* const next = b->following(); next->is(fit_block::free)) {
    bytes += take_following(next, bytes, unpurged);
  }
  if (b->is(fit_block::after_free)) {
    fit_block* const front = b->before();
    const std::size_t before = front->bytes();
    const std::size_t its_unpurged = unpurged_of(front);
    remove(front);
    const bool purged = counts_unpurged && unpurged == 0;
    if (purged) wipe(b);
    unpurged = purged ? its_unpurged : before + unpurged;
    bytes += before;
    b = front;
  }
  make_free(b, bytes, unpurged);
}

// Purged blocks are the last of each bin: the search of a bin ends at the first of them.
fit_block* fit_heap::find_unpurged(std::size_t least) const noexcept {
  const auto serves = [=](const fit_block* b) {
    return !b->is(fit_block::purged) && b->bytes() >= least;
  };
  if (bins_ == nullptr) return nullptr;
  if (top_ != nullptr && serves(top_)) return top_;
  const std::size_t from = bin_of(least);
  for (std::size_t word = from / 64; word < map_words; ++word) {
    std::uint64_t bits = bins_->map[word];
    if (word == from / 64) bits = bits >> (from % 64) << (from % 64);
    for (; bits != 0; bits &= bits - 1) {
      fit_block* b = bins_->first[word * 64 + static_cast<std::size_t>(std::countr_zero(bits))];
      for (; b != nullptr && !b->is(fit_block::purged); b = b->bin_next) {
        if (serves(b)) return b;
      }
    }
  }
  return nullptr;
}

fit_block* fit_heap::take_unpurged(std::size_t least, std::size_t& unpurged) noexcept {
  fit_block* const found = find_unpurged(least);
  if (found == nullptr) return nullptr;
  unpurged = unpurged_of(found);
  remove(found);
  make_used(found, found->bytes());
  return found;
}

std::size_t fit_heap::expand(void* p, std::size_t minimum, std::size_t preferred) noexcept {
  fit_block* const b = fit_block::of(p);
  const std::size_t old = b->bytes();
  if (b->payload_bytes() >= preferred) return b->payload_bytes();
  fit_block* const next = b->following();
  const std::size_t whole = old + (next->is(fit_block::free) ? next->bytes() : 0);
  const std::size_t least = fit_block::bytes_for(minimum);
  if (least == 0 || whole < least) return 0;
  if (whole == old) return b->payload_bytes();
  const std::size_t unpurged = old + unpurged_of(next);
  remove(next);
  unpoison(next, next->bytes() + sizeof(std::size_t));
  make_used(b, whole);
  const std::size_t wanted = fit_block::bytes_for(preferred);
  if (wanted != 0 && wanted < whole) cut(b, wanted, unpurged);
  in_use_bytes_ += b->bytes() - old;
  return b->payload_bytes();
}

void* fit_heap::expand_backward(void* p, std::size_t minimum, std::size_t preferred,
                                std::size_t step) noexcept {
  fit_block* const b = fit_block::of(p);
  const std::size_t least = fit_block::bytes_for(minimum);
  const std::size_t wanted = fit_block::bytes_for(preferred);
  if (!b->is(fit_block::after_free) || least == 0 || wanted == 0) return nullptr;
  const std::size_t before = b->prev_bytes;
  const std::size_t old = b->bytes();
  fit_block* const next = b->following();
  const std::size_t behind = next->is(fit_block::free) ? next->bytes() : 0;
  // Goes back as far as preferred, or as there is room; what stays free before must be a block.
  std::size_t distance = wanted > old ? divide_up(wanted - old, step) * step : 0;
  if (distance > before) distance = before / step * step;
  while (distance != 0 && before != distance && before - distance < fit_block::smallest_bytes) {
    distance -= step;
  }
  if (distance == 0 || old + distance + behind < least) return nullptr;
  fit_block* const front = b->before();
  const std::size_t unpurged = unpurged_of(front);
  remove(front);
  unpoison(&front->bytes_and_flags, before - sizeof(front->prev_bytes));
  const std::size_t gap = before - distance;
  fit_block* const moved = front->at(gap);
  moved->bytes_and_flags = old + distance;
  if (gap != 0) make_free(front, gap, smaller(unpurged, gap));
  in_use_bytes_ += distance;
  if (old + distance < wanted && behind != 0) {
    expand(moved->payload(), minimum, preferred);
  }
  return moved->payload();
}

std::size_t fit_heap::shrunk(void* p, std::size_t bytes) noexcept {
  fit_block* const b = fit_block::of(p);
  const std::size_t wanted = fit_block::bytes_for(bytes);
  if (wanted == 0 || wanted >= b->bytes()) return b->payload_bytes();
  const bool joins = b->is(fit_block::lone) || b->following()->is(fit_block::free);
  // A rest too small for a block of its own stays.
  const bool stays = !joins && b->bytes() - wanted < fit_block::smallest_bytes;
  return stays ? b->payload_bytes() : wanted - fit_block::beside_bytes;
}

std::size_t fit_heap::shrink(void* p, std::size_t bytes) noexcept {
  fit_block* const b = fit_block::of(p);
  const std::size_t old = b->bytes();
  const std::size_t wanted = fit_block::bytes_for(bytes);
  if (wanted == 0 || wanted >= old) return b->payload_bytes();
  cut(b, wanted, old);
  in_use_bytes_ -= old - b->bytes();
  return b->payload_bytes();
}

}  // namespace mallard::inline v1::detail
