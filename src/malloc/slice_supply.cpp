#include "malloc/slice_supply.hpp"

#include <algorithm>
#include <bit>

#include "mallard/detail/os/pages.hpp"
#include "malloc/memory_limit.hpp"
#include "malloc_checks.hpp"

namespace mallard::inline v1::detail {

constinit slice_supply the_supply;

namespace {

// Bit i of the result: bits i to i + n - 1 of `word` are set and i is a multiple of n.
std::uint64_t aligned_runs(std::uint64_t word, std::size_t n) noexcept {
  if (n == 1) return word;
  std::uint64_t runs = word & (word >> 1);
  runs &= runs >> 2;
  if (n == 4) return runs & 0x1111111111111111;
  runs &= runs >> 4;
  runs &= runs >> 8;
  return runs & 0x0001000100010001;
}

// At the end of a region, never usable.
std::size_t guard_slices() noexcept {
  return divide_up(checks::guard_bytes(), slice_bytes);
}

// Whether a run that begins at a multiple of `step` slices can be had of a region, of which the
// slices from `begin` on are free or not usable yet.
bool has_room_from(std::size_t begin, std::size_t slices, std::size_t step) noexcept {
  return round_up(begin, step) + slices <= slices_per_region - guard_slices();
}

// Where what is free at the end of the usable part begins.
std::size_t free_end_of(const region& r) noexcept {
  std::size_t begin = r.ready_slices;
  while ((r.free[(begin - 1) / slices_per_word] >> ((begin - 1) % slices_per_word) & 1) != 0) {
    --begin;  // never below the header
  }
  return begin;
}

}  // namespace

// Where addresses are limited, or locked in memory, a region of which only the start is ours.
region* slice_supply::add_region() noexcept {
  constexpr std::size_t least_bytes = std::size_t{1} << 20;
  for (std::size_t reserved = region_bytes; reserved >= least_bytes; reserved /= 4) {
    if (region* const r = make_region(reserved)) {
      (last_ == nullptr ? first_ : last_->next) = r;
      last_ = r;
      ++regions_;
      return r;
    }
  }
  return nullptr;
}

region* slice_supply::make_region(std::size_t reserved) noexcept {
  void* const p = os::reserve(reserved, region_bytes);
  if (p == nullptr) return nullptr;
  const std::size_t ready = slices_per_word - guard_slices();
  auto* const r = static_cast<region*>(p);  // zeroed, as a new region has to be
  if (!os::commit(p, ready * slice_bytes) || !checks::add_region(*r, ready * slice_bytes)) {
    os::unmap(p, reserved);
    return nullptr;
  }
  r->reserved_slices = reserved / slice_bytes;
  r->ready_slices = ready;
  set_free(*r, region_header_slices, ready, false);
  return r;
}

// How far usable memory goes on at once, for a run of so many slices: little at first, since what
// is usable counts where memory is limited, and is all there where it is locked.
std::size_t slice_supply::next_step(std::size_t slices) const noexcept {
  constexpr std::size_t least = os::huge_page_bytes / slice_bytes;
  return round_up(std::max({least, slices, used_slices_ / 8}), slices_per_word);
}

// Makes more of the region usable, for a run of so many slices in the end. False when there is no
// more to be had.
bool slice_supply::extend(region& r, std::size_t slices) noexcept {
  return extend_by(r, next_step(slices)) || extend_by(r, round_up(slices, slices_per_word));
}

bool slice_supply::extend_by(region& r, std::size_t slices) noexcept {
  const std::size_t begin = r.ready_slices;
  std::size_t end = std::min(begin + slices, slices_per_region - guard_slices());
  if (end + guard_slices() > r.reserved_slices) {
    const std::size_t more = end + guard_slices() - r.reserved_slices;
    if (os::reserve_at(r.slice(r.reserved_slices), more * slice_bytes)) r.reserved_slices += more;
    end = std::min(end, r.reserved_slices - guard_slices());
  }
  if (end <= begin || !os::commit(r.slice(begin), (end - begin) * slice_bytes)) return false;
  if (!checks::extend_region(r, begin * slice_bytes, end * slice_bytes)) return false;
  r.ready_slices = end;
  set_free(r, begin, end, false);
  return true;
}

void slice_supply::set_free(region& r, std::size_t begin, std::size_t end, bool dirty) noexcept {
  r.free_slices += end - begin;
  for (std::size_t i = begin; i < end;) {
    const auto count =
        static_cast<unsigned>(std::min(end - i, slices_per_word - i % slices_per_word));
    const std::uint64_t bits = low_bits(count) << (i % slices_per_word);
    r.free[i / slices_per_word] |= bits;
    if (dirty) r.dirty[i / slices_per_word] |= bits;
    i += count;
  }
}

std::size_t slice_supply::remove_empty_regions() noexcept {
  std::size_t bytes = 0;
  last_ = nullptr;
  for (region** link = &first_; *link != nullptr;) {
    region* const r = *link;
    if (r->free_slices != r->ready_slices - region_header_slices) {
      last_ = r;
      link = &r->next;
      continue;
    }
    *link = r->next;
    --regions_;
    for (const std::uint64_t word : r->dirty) {
      dirty_slices_ -= static_cast<std::size_t>(std::popcount(word));
    }
    bytes += r->reserved_slices * slice_bytes;
    checks::remove_region(*r);
    os::unmap(r, r->reserved_slices * slice_bytes);
  }
  return bytes;
}

void slice_supply::mark_taken(region& r, std::size_t word, std::uint64_t bits) noexcept {
  const auto count = static_cast<std::size_t>(std::popcount(bits));
  const auto dirty = static_cast<std::size_t>(std::popcount(r.dirty[word] & bits));
  if (dirty != count) idle_.took(count - dirty);
  dirty_slices_ -= dirty;
  r.free[word] &= ~bits;
  r.dirty[word] &= ~bits;
  r.free_slices -= count;
  used_slices_ += count;
}

// The run, which was just taken, and what is free behind it: a little, by what is in use already.
void slice_supply::populate(region& r, std::size_t index, std::size_t slices) noexcept {
  const std::size_t word = index / slices_per_word;
  const auto after = static_cast<unsigned>(index % slices_per_word + slices);
  const std::uint64_t free =
      after == slices_per_word ? 0 : (r.free[word] & ~r.dirty[word]) >> after;
  const std::size_t extra =
      std::min(used_slices_ / 32, static_cast<std::size_t>(std::countr_one(free)));
  if (!os::populate(r.slice(index), (slices + extra) * slice_bytes)) return;
  r.dirty[word] |= extra == 0 ? 0 : low_bits(static_cast<unsigned>(extra)) << after;
  dirty_slices_ += extra;
}

void* slice_supply::take_from(region& r, std::size_t slices, bool busy) noexcept {
  const std::uint64_t run = low_bits(static_cast<unsigned>(slices));
  std::size_t clean_word = region_words;
  std::uint64_t clean = 0;
  for (std::size_t w = 0; w < region_words; ++w) {
    if (r.free[w] == 0) continue;
    if (const std::uint64_t warm = aligned_runs(r.dirty[w], slices)) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(warm));
      mark_taken(r, w, run << bit);
      return r.slice(w * slices_per_word + bit);
    }
    if (clean != 0) continue;
    clean = aligned_runs(r.free[w], slices);
    clean_word = w;
    if (dirty_slices_ == 0 && clean != 0) break;
  }
  if (clean == 0) return nullptr;
  const std::size_t index =
      clean_word * slices_per_word + static_cast<std::size_t>(std::countr_zero(clean));
  mark_taken(r, clean_word, run << (index % slices_per_word));
  if (busy) populate(r, index, slices);
  return r.slice(index);
}

// The first run of so many free words that begins at a multiple of `step` words.
void* slice_supply::take_words_from(region& r, std::size_t words, std::size_t step) noexcept {
  for (std::size_t begin = 0; begin + words <= region_words; begin += step) {
    const auto first = r.free.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(words);
    if (!std::all_of(first, last, [](std::uint64_t w) { return w == ~std::uint64_t{0}; })) continue;
    for (std::size_t w = begin; w < begin + words; ++w) mark_taken(r, w, ~std::uint64_t{0});
    return r.slice(begin * slices_per_word);
  }
  return nullptr;
}

template <class Take>
void* slice_supply::take_anywhere(std::size_t slices, std::size_t step, Take&& take) noexcept {
  if (!has_room_from(region_header_slices, slices, step)) return nullptr;
  if (!the_limit.take(slices * slice_bytes)) return nullptr;
  const holding hold(lock_);
  for (region* r = first_; r != nullptr; r = r->next) {
    if (r->free_slices < slices) continue;
    if (void* const p = take(*r)) return p;
  }
  for (region* r = first_; r != nullptr; r = r->next) {
    if (!has_room_from(free_end_of(*r), slices, step)) continue;
    while (extend(*r, slices)) {
      if (void* const p = take(*r)) return p;
    }
  }
  if (region* const r = add_region()) {
    do {
      if (void* const p = take(*r)) return p;
    } while (extend(*r, slices));
  }
  the_limit.give(slices * slice_bytes);
  return nullptr;
}

void* slice_supply::take(std::size_t bytes, bool busy) noexcept {
  const std::size_t slices = bytes / slice_bytes;
  const std::size_t words = slices / slices_per_word;
  return take_anywhere(slices, slices, [&](region& r) {
    return words == 0 ? take_from(r, slices, busy) : take_words_from(r, words, words);
  });
}

void* slice_supply::take_words(std::size_t words, slice_mark mark) noexcept {
  return take_anywhere(words * slices_per_word, slices_per_word, [&](region& r) {
    void* const p = take_words_from(r, words, 1);
    if (p != nullptr) r.set_marks(region::index_of(p), words * slices_per_word, mark);
    return p;
  });
}

void slice_supply::give(void* p, std::size_t bytes) noexcept {
  region& r = *region::of(p);
  const std::size_t index = region::index_of(p);
  const std::size_t slices = bytes / slice_bytes;
  the_limit.give(bytes);
  const holding hold(lock_);
  r.set_marks(index, slices, no_mark);
  set_free(r, index, index + slices, true);
  used_slices_ -= slices;
  dirty_slices_ += slices;
  if (const std::size_t limit = idle_.limit(used_slices_); dirty_slices_ > limit) {
    idle_.gave_back(purge(limit / 2));
  }
}

// From the end of each region, which fills up from its start.
std::size_t slice_supply::purge(std::size_t slices_to_keep) noexcept {
  const std::size_t before = dirty_slices_;
  const std::size_t page_slices = divide_up(os::page_size(), slice_bytes);
  for (region* r = first_; r != nullptr && dirty_slices_ > slices_to_keep; r = r->next) {
    for (std::size_t end = slices_per_region; end > 0 && dirty_slices_ > slices_to_keep;) {
      const auto is_dirty = [&](std::size_t i) {
        return (r->dirty[i / slices_per_word] >> (i % slices_per_word) & 1) != 0;
      };
      if (end % slices_per_word == 0 && r->dirty[end / slices_per_word - 1] == 0) {
        end -= slices_per_word;
        continue;
      }
      if (!is_dirty(end - 1)) {
        --end;
        continue;
      }
      std::size_t begin = end - 1;
      const std::size_t surplus = round_up(dirty_slices_ - slices_to_keep, page_slices);
      while (begin > 0 && end - begin < surplus && is_dirty(begin - 1)) --begin;
      // Of whole pages, where these are larger than slices.
      const std::size_t first = round_up(begin, page_slices);
      const std::size_t last = round_down(end, page_slices);
      end = begin;
      if (first >= last) continue;
      os::purge(r->slice(first), (last - first) * slice_bytes);
      for (std::size_t i = first; i < last; ++i) {
        r->dirty[i / slices_per_word] &= ~(std::uint64_t{1} << (i % slices_per_word));
      }
      dirty_slices_ -= last - first;
    }
  }
  return before - dirty_slices_;
}

std::size_t slice_supply::trim() noexcept {
  const holding hold(lock_);
  const std::size_t slices = purge(0);
  return slices * slice_bytes + remove_empty_regions();
}

void slice_supply::set_idle_limit(std::size_t bytes) noexcept {
  const holding hold(lock_);
  idle_.set_least(bytes / slice_bytes);
}

supply_usage slice_supply::usage() noexcept {
  const holding hold(lock_);
  return {regions_, used_slices_ * slice_bytes, dirty_slices_ * slice_bytes};
}

}  // namespace mallard::inline v1::detail
