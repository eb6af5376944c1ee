#include "mallard/detail/pages/slice_supply.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "mallard/detail/os/huge_pages.hpp"
#include "mallard/detail/os/memory_amounts.hpp"
#include "mallard/detail/os/pages.hpp"
#include "pages/purging.hpp"

namespace mallard::inline v1::detail {

namespace {

// Bit i of the result: bits i to i + n - 1 of `word` are set and i is a multiple of n.
std::uint64_t aligned_runs(std::uint64_t word, std::size_t n) noexcept {
  std::uint64_t runs = word;
  for (std::size_t i = 1; i < n; i *= 2) runs &= runs >> i;
  // A bit at each multiple of n.
  return runs & ~std::uint64_t{0} / low_bits(static_cast<unsigned>(n));
}

// At the end of a region, never usable.
std::size_t guard_slices() noexcept {
  return divide_up(page_client::guard_bytes(), slice_bytes);
}

// Whether a region whose slices from `begin` on are free, or not usable yet, has room for a run
// that begins at a multiple of `step` slices.
bool has_room_from(std::size_t begin, std::size_t slices, std::size_t step) noexcept {
  return round_up(begin, step) + slices <= slices_per_region - guard_slices();
}

// Kinds of runs: 1, 2, 4, 8 and 16 slices.
constexpr std::size_t kind_of(std::size_t slices) noexcept {
  return static_cast<std::size_t>(std::countr_zero(slices));
}

// The first of the free slices at the end of the usable part.
std::size_t free_end_of(const region& r) noexcept {
  std::size_t begin = r.ready_slices;
  while ((r.free[(begin - 1) / slices_per_word] >> ((begin - 1) % slices_per_word) & 1) != 0) {
    --begin;  // never below the header
  }
  return begin;
}

}  // namespace

void slice_supply::note_addresses(std::size_t most) noexcept {
  const bool are_few = most != SIZE_MAX && most < os::physical_memory_bytes();
  has_few_addresses_.store(are_few, std::memory_order_relaxed);
  if (are_few) budget_.expect_few_addresses();
}

// Reserves only the start of a region where addresses are limited or locked in memory.
bool slice_supply::add_region() noexcept {
  constexpr std::size_t least_bytes = std::size_t{1} << 20;
  region* r = nullptr;
  if (regions_made_ == 0) note_addresses(budget_.most_addresses());
  for (std::size_t reserved = region_bytes; r == nullptr && reserved >= least_bytes;
       reserved /= 4) {
    r = make_region(reserved);
    is_confined_.store(r == nullptr || reserved != region_bytes, std::memory_order_relaxed);
  }
  if (r == nullptr) return false;
  const holding hold(lock_);
  (last_ == nullptr ? first_ : last_->next) = r;
  last_ = r;
  r->ordinal = ++regions_made_;
  set_free(*r, region_header_slices, r->ready_slices, false);
  ++regions_;
  return true;
}

// Makes the slices usable, and the part of the region's header that they need.
bool slice_supply::commit_slices(region& r, std::size_t begin, std::size_t end) noexcept {
  if constexpr (page_client::record_bytes == 0) {
    return os::commit(r.slice(begin), (end - begin) * slice_bytes);
  }
  const std::size_t page = os::page_size();
  const std::size_t had = begin == 0 ? 0 : round_up(page_client::header_bytes(begin), page);
  const std::size_t has = round_up(page_client::header_bytes(end), page);
  if (has > had && !os::commit(reinterpret_cast<std::byte*>(&r) + had, has - had)) return false;
  const std::size_t first = std::max(begin, region_header_slices);
  return os::commit(r.slice(first), (end - first) * slice_bytes);
}

region* slice_supply::make_region(std::size_t reserved) noexcept {
  void* const p = os::reserve(reserved, region_bytes);
  if (p == nullptr) return nullptr;
  // Whole pages, even of 64 KiB.
  constexpr std::size_t first = round_up(region_header_slices + 60, std::size_t{4});
  const std::size_t ready = std::min(first, reserved / slice_bytes) - guard_slices();
  auto* const r = static_cast<region*>(p);  // zeroed, as a new region has to be
  bool is_usable = commit_slices(*r, 0, ready);
  if (is_usable) {
    r->reserved_slices = reserved / slice_bytes;
    r->ready_slices = ready;
    is_usable = page_client::add_region(*r, ready * slice_bytes);
  }
  if (!is_usable) {
    os::unmap(p, reserved);
    return nullptr;
  }
  return r;
}

// The number of slices made usable at once for a run: few at first, because usable memory counts
// against a limit, and is resident where it is locked.
std::size_t slice_supply::next_step(std::size_t slices) const noexcept {
  constexpr std::size_t least = os::huge_page_bytes / slice_bytes;
  return round_up(std::max({least, slices, used_slices_ / 8}), slices_per_word);
}

// Makes more of a region usable, until it has room for the run. False when no region has more.
bool slice_supply::extend(const wanted_run& wanted) noexcept {
  const auto has_room = [&](region& r) {
    return r.ready_slices + guard_slices() != slices_per_region &&
           has_room_from(free_end_of(r), wanted.slices, wanted.step);
  };
  // Limited memory is not taken in advance. Of large blocks, and of slabs of threads that ask for
  // little of each size, only a few pages may be touched.
  const bool is_huge =
      wanted.may_be_huge && !budget_.is_set() && budget_.in_use() >= huge_pages_from_;
  for (region* r = nullptr;;) {
    std::size_t roomy = 0;
    {
      const holding hold(lock_);
      roomy = next_step(wanted.slices);
      r = r == nullptr ? first_ : r->next;
      while (r != nullptr && !has_room(*r)) r = r->next;
    }
    if (r == nullptr) return false;
    if (extend_by(*r, roomy, is_huge)) return true;
    if (extend_by(*r, round_up(wanted.slices, slices_per_word), is_huge)) return true;
  }
}

bool slice_supply::extend_by(region& r, std::size_t slices, bool is_huge) noexcept {
  const std::size_t begin = r.ready_slices;
  const std::size_t step = is_huge ? os::huge_page_bytes / slice_bytes : 1;
  std::size_t end = std::min(round_up(begin + slices, step), slices_per_region - guard_slices());
  if (end + guard_slices() > r.reserved_slices) {
    const std::size_t more = end + guard_slices() - r.reserved_slices;
    if (os::reserve_at(r.slice(r.reserved_slices), more * slice_bytes)) r.reserved_slices += more;
    end = std::min(end, r.reserved_slices - guard_slices());
  }
  if (end <= begin || !commit_slices(r, begin, end)) return false;
  if (!page_client::extend_region(r, begin * slice_bytes, end * slice_bytes)) return false;
  if (is_huge) ask_for_huge_pages(r, begin, end);
  const holding hold(lock_);
  r.ready_slices = end;
  set_free(r, begin, end, false);
  return true;
}

// The first one may be taken at once, to see whether the system has them at hand. Where memory is
// fragmented, or a virtual machine has yet to get it from its host, one takes longer than all
// faults that it saves; then the system is asked again when use has doubled.
void slice_supply::ask_for_huge_pages(region& r, std::size_t begin, std::size_t end) noexcept {
  constexpr std::size_t slices = os::huge_page_bytes / slice_bytes;
  constexpr unsigned long long at_hand_us = 2000;  // to clear one takes 50 to 400
  os::split_huge_pages_at_purge();
  os::prefer_huge_pages(r.slice(begin), (end - begin) * slice_bytes);
  const std::size_t first = round_up(begin, slices);
  if (huge_pages_at_hand_ && first + slices <= end) {
    const unsigned long long before = os::thread_microseconds();
    os::populate(r.slice(first), os::huge_page_bytes);
    if (os::thread_microseconds() - before > at_hand_us) {
      huge_pages_from_ = 2 * budget_.in_use();
      return os::leave_pages_small(r.slice(begin), (end - begin) * slice_bytes);
    }
  }
  if (r.huge_from == 0) r.huge_from = begin;
  has_asked_.store(true, std::memory_order_relaxed);
  os::has_split_huge_pages();
}

// A daemon of the system fills up what is marked for huge pages, also where parts went back: memory
// would grow again behind the program's back. So marks last until a part goes back. Who gives it
// back waits for few regions and for nobody; the next one continues.
void slice_supply::leave_gaps_small() noexcept {
  constexpr std::size_t most_regions = 8;
  if (!has_asked_.load(std::memory_order_relaxed)) return;
  if (os::has_split_huge_pages()) has_gaps_.store(true, std::memory_order_relaxed);
  if (!has_gaps_.load(std::memory_order_relaxed) || !grow_lock_.try_lock()) return;
  leave_small(most_regions);
  grow_lock_.unlock();
}

void slice_supply::leave_small(std::size_t most_regions) noexcept {
  if (!has_asked_.load(std::memory_order_relaxed)) return;
  for (region* r = first_; r != nullptr; r = r->next) {
    if (r->huge_from == 0) continue;
    if (most_regions-- == 0) return;
    const std::size_t slices = r->ready_slices - r->huge_from;
    os::leave_pages_small(r->slice(r->huge_from), slices * slice_bytes);
    r->huge_from = 0;
  }
  has_asked_.store(false, std::memory_order_relaxed);
  has_gaps_.store(false, std::memory_order_relaxed);
}

void slice_supply::set_free(region& r, std::size_t begin, std::size_t end, bool dirty) noexcept {
  r.free_slices += end - begin;
  for (std::size_t i = begin; i < end;) {
    const auto count =
        static_cast<unsigned>(std::min(end - i, slices_per_word - i % slices_per_word));
    const std::uint64_t bits = low_bits(count) << (i % slices_per_word);
    const std::size_t word = i / slices_per_word;
    r.free[word] |= bits;
    r.free_words |= std::uint64_t{1} << word;
    if (dirty) {
      r.dirty[word] |= bits;
      r.dirty_words |= std::uint64_t{1} << word;
    }
    i += count;
  }
  if (r.ordinal >= searched_from_) return;
  for (region*& from : search_from_) {
    if (from != nullptr && r.ordinal < from->ordinal) from = &r;
  }
  searched_from_ = r.ordinal;
}

void slice_supply::publish() noexcept {
  budget_.slices.in_use.store(used_slices_ * slice_bytes, std::memory_order_relaxed);
  budget_.slices.kept.store(dirty_slices_ * slice_bytes, std::memory_order_relaxed);
}

std::size_t slice_supply::may_keep() noexcept {
  return budget_.may_keep(dirty_slices_ * slice_bytes) / slice_bytes;
}

void slice_supply::clear_dirty(region& r, std::size_t word, std::uint64_t bits) noexcept {
  r.dirty[word] &= ~bits;
  if (r.dirty[word] == 0) r.dirty_words &= ~(std::uint64_t{1} << word);
}

// Returns the bytes of the regions' headers.
std::size_t slice_supply::remove_empty_regions(std::size_t to_keep, std::size_t most) noexcept {
  region* gone = nullptr;
  {
    const holding hold(lock_);
    last_ = nullptr;
    search_from_ = {};
    searched_from_ = 0;
    for (region** link = &first_; *link != nullptr;) {
      region* const r = *link;
      const bool is_empty = r->free_slices == r->ready_slices - region_header_slices;
      const bool is_kept = is_empty && to_keep != 0;
      if (is_kept) --to_keep;
      if (!is_empty || is_kept || most == 0) {
        last_ = r;
        link = &r->next;
        continue;
      }
      *link = r->next;
      --regions_;
      --most;
      for (const std::uint64_t word : r->dirty) {
        const auto count = static_cast<std::size_t>(std::popcount(word));
        dirty_slices_ -= count;
        if (budget_.is_set()) budget_.give(count * slice_bytes);
      }
      r->next = gone;
      gone = r;
    }
    publish();
  }
  std::size_t bytes = 0;
  while (region* const r = gone) {
    gone = r->next;
    bytes += region_header_slices * slice_bytes;
    page_client::remove_region(*r);
    os::unmap(r, r->reserved_slices * slice_bytes);
  }
  return bytes;
}

void slice_supply::mark_taken(region& r, std::size_t word, std::uint64_t bits,
                              std::size_t count) noexcept {
  const std::uint64_t warm = r.dirty[word] & bits;
  const auto dirty = warm == bits ? count : static_cast<std::size_t>(std::popcount(warm));
  dirty_slices_ -= dirty;
  r.free[word] &= ~bits;
  if (r.free[word] == 0) r.free_words &= ~(std::uint64_t{1} << word);
  clear_dirty(r, word, bits);
  r.free_slices -= count;
  used_slices_ += count;
  publish();
  if (dirty != 0) idle_.fell_to(dirty_slices_);
}

// Makes resident the run, which was just taken, and some free slices behind it, in proportion to
// what is in use, as far as it takes a quarter of a millisecond. If others take those meanwhile,
// they benefit.
void slice_supply::populate(void* p, std::size_t slices) noexcept {
  region& r = *region::of(p);
  const std::size_t index = region::index_of(p);
  const std::size_t word = index / slices_per_word;
  const auto after = static_cast<unsigned>(index % slices_per_word + slices);
  const auto clean_behind = [&] {
    return after == slices_per_word ? 0 : (r.free[word] & ~r.dirty[word]) >> after;
  };
  constexpr std::size_t most_slices = (std::size_t{256} << 10) / slice_bytes;
  std::size_t extra = 0;
  {
    const holding hold(lock_);
    extra = std::min({used_slices_ / 32, most_slices - std::min(slices, most_slices),
                      static_cast<std::size_t>(std::countr_one(clean_behind()))});
    // Limited memory is not taken in advance.
    if (budget_.is_set()) extra = 0;
  }
  if (!os::populate(p, (slices + extra) * slice_bytes) || extra == 0) return;
  const holding hold(lock_);
  const std::uint64_t ready = (clean_behind() & low_bits(static_cast<unsigned>(extra))) << after;
  if (ready == 0 || budget_.is_set()) return;
  const auto count = static_cast<std::size_t>(std::popcount(ready));
  r.dirty[word] |= ready;
  r.dirty_words |= std::uint64_t{1} << word;
  dirty_slices_ += count;
  publish();
}

void* slice_supply::take_from(region& r, std::size_t slices, bool& is_warm) noexcept {
  const std::uint64_t run = low_bits(static_cast<unsigned>(slices));
  const auto take_first = [&](std::uint64_t words, const auto& bits) -> void* {
    for (; words != 0; words &= words - 1) {
      const auto w = static_cast<std::size_t>(std::countr_zero(words));
      const std::uint64_t runs = aligned_runs(bits[w], slices);
      if (runs == 0) continue;
      const auto bit = static_cast<std::size_t>(std::countr_zero(runs));
      mark_taken(r, w, run << bit, slices);
      return r.slice(w * slices_per_word + bit);
    }
    return nullptr;
  };
  if (void* const p = take_first(r.dirty_words, r.dirty)) {
    is_warm = true;
    return p;
  }
  return take_first(r.free_words, r.free);
}

// The first run of so many free words that begins at a multiple of `step` words.
void* slice_supply::take_words_from(region& r, std::size_t words, std::size_t step,
                                    bool* is_zero) noexcept {
  const std::size_t dirty = dirty_slices_;
  for (std::size_t begin = 0; begin + words <= region_words; begin += step) {
    const auto first = r.free.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = first + static_cast<std::ptrdiff_t>(words);
    if (!std::all_of(first, last, [](std::uint64_t w) { return w == ~std::uint64_t{0}; })) continue;
    for (std::size_t w = begin; w < begin + words; ++w)
      mark_taken(r, w, ~std::uint64_t{0}, slices_per_word);
    if (is_zero != nullptr) *is_zero = dirty_slices_ == dirty;
    return r.slice(begin * slices_per_word);
  }
  return nullptr;
}

template <class Take>
void* slice_supply::find_anywhere(std::size_t slices, Take&& take) noexcept {
  const std::size_t kind = slices < slices_per_word ? kind_of(slices) : run_kinds;
  region* const from = kind == run_kinds ? nullptr : search_from_[kind];
  const auto found_in = [&](region* r) {
    if (kind == run_kinds) return;
    search_from_[kind] = r;
    if (r != nullptr) searched_from_ = std::max(searched_from_, r->ordinal);
  };
  for (region* r = from == nullptr ? first_ : from; r != nullptr; r = r->next) {
    if (r->free_slices < slices) continue;
    if (void* const p = take(*r)) {
      found_in(r);
      return p;
    }
  }
  found_in(last_);
  return nullptr;
}

// Taken slices are counted only under a limit, which is set under the same lock.
template <class Take>
void* slice_supply::find_within_limit(std::size_t slices, Take&& take, bool& is_refused) noexcept {
  const bool is_counted = budget_.is_set();
  is_refused = is_counted && !budget_.take(slices * slice_bytes);
  if (is_refused) return nullptr;
  const std::size_t dirty = dirty_slices_;
  void* const p = find_anywhere(slices, take);
  // Dirty slices were counted all along.
  if (is_counted) budget_.give((p == nullptr ? slices : dirty - dirty_slices_) * slice_bytes);
  return p;
}

// Under a limit free dirty slices count, so they go back before a run is refused.
template <class Take>
void* slice_supply::take_anywhere(const wanted_run& wanted, Take&& take) noexcept {
  if (!has_room_from(region_header_slices, wanted.slices, wanted.step)) return nullptr;
  bool is_refused = false;
  void* const p = try_to_take(wanted, take, is_refused);
  if (!is_refused || purge_all() == 0) return p;
  return try_to_take(wanted, take, is_refused);
}

template <class Take>
void* slice_supply::try_to_take(const wanted_run& wanted, Take&& take, bool& is_refused) noexcept {
  void* p = nullptr;
  bool is_under_way = false;
  const auto is_decided = [&] {
    const holding hold(lock_);
    p = find_within_limit(wanted.slices, take, is_refused);
    is_under_way = under_way_slices_ != 0;
    return p != nullptr || is_refused;
  };
  for (bool may_add = true;;) {
    if (is_decided()) return p;
    {
      const holding growing(grow_lock_);
      for (;;) {
        if (is_decided()) return p;
        if (extend(wanted)) continue;
        if (!may_add || !add_region()) break;
        may_add = false;
      }
    }
    if (!is_under_way) return nullptr;
    // Memory on its way to the system will be available in a moment.
    const holding wait(purge_lock_);
  }
}

void* slice_supply::take(std::size_t bytes, demand why, bool* is_zero) noexcept {
  const std::size_t slices = bytes / slice_bytes;
  const std::size_t words = slices / slices_per_word;
  bool is_warm = false;
  void* const p = take_anywhere({slices, slices, why.grows}, [&](region& r) {
    return words == 0 ? take_from(r, slices, is_warm) : take_words_from(r, words, words, is_zero);
  });
  if (p != nullptr && why.busy && words == 0 && !is_warm) populate(p, slices);
  return p;
}

unsigned slice_supply::take(void** out, unsigned count, std::size_t bytes) noexcept {
  const std::size_t slices = bytes / slice_bytes;
  unsigned taken = 0;
  bool is_warm = false;
  bool is_refused = false;
  {
    const holding hold(lock_);
    const auto take = [&](region& r) { return take_from(r, slices, is_warm); };
    while (taken < count && (out[taken] = find_within_limit(slices, take, is_refused)) != nullptr) {
      ++taken;
    }
  }
  if (taken == 0 && (out[0] = slice_supply::take(bytes)) != nullptr) taken = 1;
  return taken;
}

void* slice_supply::take_words(std::size_t words, bool* is_zero) noexcept {
  return take_anywhere({words * slices_per_word, slices_per_word, false},
                       [&](region& r) { return take_words_from(r, words, 1, is_zero); });
}

void slice_supply::give(void* const* runs, unsigned count, std::size_t bytes) noexcept {
  put_back(runs, count, bytes, bytes);
  shrink(count * bytes);
}

void slice_supply::put_back(void* const* runs, unsigned count, std::size_t bytes,
                            std::size_t dirty_bytes) noexcept {
  const std::size_t slices = bytes / slice_bytes;
  const std::size_t dirty = divide_up(dirty_bytes, slice_bytes);
  const holding hold(lock_);
  budget_.note_use();
  for (unsigned i = 0; i < count; ++i) {
    region& r = *region::of(runs[i]);
    const std::size_t index = region::index_of(runs[i]);
    page_client::forget(r, index, slices);
    set_free(r, index, index + dirty, true);
    set_free(r, index + dirty, index + slices, false);
  }
  used_slices_ -= count * slices;
  dirty_slices_ += count * dirty;
  if (budget_.is_set()) budget_.give(count * (slices - dirty) * slice_bytes);
  publish();
}

void slice_supply::shrink(std::size_t freed_bytes) noexcept {
  leave_gaps_small();
  std::size_t keep = 0;
  {
    const holding hold(lock_);
    const std::size_t kept = dirty_slices_ * slice_bytes;
    const std::size_t may = budget_.may_keep(kept);
    if (kept <= may || is_refused_) return;
    keep = divide_up(memory_budget::rest_of(may, kept, freed_bytes), slice_bytes);
  }
  // When two come at once, one is enough.
  if (!purge_lock_.try_lock()) return;
  purge_some(keep);
  purge_lock_.unlock();
}

void slice_supply::decay() noexcept {
  if (!purge_lock_.try_lock()) return;
  std::size_t keep = 0;
  {
    const holding hold(lock_);
    keep = std::min(idle_.rest_of(dirty_slices_), may_keep());
    is_refused_ = false;
  }
  purge_some(keep);
  give_back_regions();
  purge_lock_.unlock();
  leave_gaps_small();
}

// Regions are kept for what comes next, but their headers and page tables weigh something, too.
void slice_supply::give_back_regions() noexcept {
  const std::size_t most_empty = has_few_addresses_.load(std::memory_order_relaxed) ? 0 : 2;
  constexpr std::size_t most_at_once = 16;
  {
    const holding hold(lock_);
    const std::size_t capacity = regions_ * slices_per_region;
    if (regions_ <= most_empty || used_slices_ + dirty_slices_ >= capacity / 2) return;
  }
  if (!grow_lock_.try_lock()) return;
  remove_empty_regions(most_empty, most_at_once);
  grow_lock_.unlock();
}

// A page of a region's header describes slices around these too: it can go if those are free.
slice_supply::slice_run slice_supply::with_clean_around(region& r, std::size_t begin,
                                                        std::size_t end) noexcept {
  slice_run run{&r, begin, end, begin, end};
  if constexpr (page_client::record_bytes == 0) return run;
  const std::size_t reach = divide_up(os::page_size(), page_client::record_bytes + 0);
  const auto is_clean = [&](std::size_t i) {
    const std::size_t word = i / slices_per_word;
    return ((r.free[word] & ~r.dirty[word]) >> (i % slices_per_word) & 1) != 0;
  };
  while (run.from > 0 && begin - run.from < reach && is_clean(run.from - 1)) --run.from;
  while (run.to < slices_per_region && run.to - end < reach && is_clean(run.to)) ++run.to;
  return run;
}

// Takes slices from the end of each region, which fills up from its start. Nobody has them until
// `purge_some` has given them back.
std::size_t slice_supply::take_dirty(std::size_t slices_to_keep, slice_run* runs,
                                     std::size_t most) noexcept {
  std::size_t count = 0;
  const std::size_t page_slices = divide_up(os::page_size(), slice_bytes);
  for (region* r = first_; r != nullptr && dirty_slices_ > slices_to_keep; r = r->next) {
    if (r->dirty_words == 0) continue;
    for (std::size_t end = slices_per_region;
         end > 0 && count != most && dirty_slices_ > slices_to_keep;) {
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
      // Takes whole pages, where these are larger than slices.
      const std::size_t first = round_up(begin, page_slices);
      const std::size_t last = round_down(end, page_slices);
      end = begin;
      if (first >= last) continue;
      const slice_run run = with_clean_around(*r, first, last);
      for (std::size_t i = run.from; i < run.to; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << (i % slices_per_word);
        clear_dirty(*r, i / slices_per_word, bit);
        r->free[i / slices_per_word] &= ~bit;
      }
      for (std::size_t w = run.from / slices_per_word; w <= (run.to - 1) / slices_per_word; ++w) {
        if (r->free[w] == 0) r->free_words &= ~(std::uint64_t{1} << w);
      }
      r->free_slices -= run.to - run.from;
      dirty_slices_ -= last - first;
      under_way_slices_ += run.to - run.from;
      runs[count++] = run;
    }
  }
  publish();
  return count;
}

// Records of slices that nobody has contain nothing.
void slice_supply::purge_header(const slice_run& run) noexcept {
  page_client::purged(run.in->slice(run.from), (run.to - run.from) * slice_bytes);
  const std::size_t begin = page_client::header_bytes(run.from);
  const std::size_t end = page_client::header_bytes(run.to);
  os::purge(reinterpret_cast<std::byte*>(run.in) + begin, end - begin);
}

std::size_t slice_supply::purge_some(std::size_t slices_to_keep, bool locked_too) noexcept {
  std::array<slice_run, most_purged_runs> runs;
  std::size_t count = 0;
  {
    const holding hold(lock_);
    count = take_dirty(slices_to_keep, runs.data(), runs.size());
  }
  if (count == 0) return 0;
  std::size_t gone = 0;
  std::size_t back = 0;
  std::array<bool, most_purged_runs> is_gone;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t slices = runs[i].end - runs[i].begin;
    is_gone[i] = has_purged(runs[i].in->slice(runs[i].begin), slices * slice_bytes, locked_too);
    if (is_gone[i]) purge_header(runs[i]);
    gone += is_gone[i] ? slices : 0;
    back += runs[i].to - runs[i].from;
  }
  const holding hold(lock_);
  for (std::size_t i = 0; i < count; ++i) {
    const slice_run& run = runs[i];
    set_free(*run.in, run.from, run.begin, false);
    set_free(*run.in, run.begin, run.end, !is_gone[i]);
    set_free(*run.in, run.end, run.to, false);
    if (!is_gone[i]) dirty_slices_ += run.end - run.begin;
  }
  under_way_slices_ -= back;
  is_refused_ = gone == 0;
  if (budget_.is_set()) budget_.give(gone * slice_bytes);
  if (gone != 0) idle_.fell_to(dirty_slices_);
  publish();
  return gone;
}

// Locked memory goes back only here: a program locks it to have no page faults.
std::size_t slice_supply::purge_all() noexcept {
  const holding hold_purge(purge_lock_);
  std::size_t slices = 0;
  while (const std::size_t gone = purge_some(0, true)) slices += gone;
  return slices * slice_bytes;
}

std::size_t slice_supply::trim() noexcept {
  const std::size_t bytes = purge_all();
  const holding hold_purge(purge_lock_);
  const holding growing(grow_lock_);
  leave_small(SIZE_MAX);
  return bytes + remove_empty_regions(0, SIZE_MAX);
}

// `grow_lock_` keeps others from making more of the region usable.
bool slice_supply::cut_regions() noexcept {
  const holding growing(grow_lock_);
  leave_small(SIZE_MAX);
  bool has_any = false;
  for (region* r = nullptr;;) {
    std::size_t begin = 0;
    std::size_t end = 0;
    {
      const holding hold(lock_);
      r = r == nullptr ? first_ : r->next;
      if (r == nullptr) return has_any;
      begin = cut_free_end(*r);
      end = std::exchange(r->reserved_slices, begin);
    }
    if (begin != end) os::unmap(r->slice(begin), (end - begin) * slice_bytes);
    has_any |= begin != end;
  }
}

// Slices that have memory stay. Returns where the addresses may end.
std::size_t slice_supply::cut_free_end(region& r) noexcept {
  const std::size_t page_slices = divide_up(os::page_size(), slice_bytes);
  std::size_t begin = r.ready_slices;
  const auto is_clean = [&](std::size_t i) {
    return ((r.free[i / slices_per_word] & ~r.dirty[i / slices_per_word]) >> (i % slices_per_word) &
            1) != 0;
  };
  while (begin > region_header_slices && is_clean(begin - 1)) --begin;
  begin = std::min(round_up(begin, page_slices), r.ready_slices);
  for (std::size_t i = begin; i < r.ready_slices; ++i) {
    r.free[i / slices_per_word] &= ~(std::uint64_t{1} << (i % slices_per_word));
    if (r.free[i / slices_per_word] == 0) {
      r.free_words &= ~(std::uint64_t{1} << (i / slices_per_word));
    }
  }
  r.free_slices -= r.ready_slices - begin;
  r.ready_slices = begin;
  return begin + guard_slices();
}

void slice_supply::keep_to_budget(std::size_t most_portions) noexcept {
  std::size_t may = 0;
  {
    const holding hold(lock_);
    may = may_keep();
    if (dirty_slices_ <= may || is_refused_) return;
  }
  const holding hold_purge(purge_lock_);
  while (most_portions-- != 0 && purge_some(may) != 0) continue;
}

void slice_supply::set_limit(std::size_t bytes) noexcept {
  const holding hold_purge(purge_lock_);
  const holding hold(lock_);
  budget_.set(bytes, (used_slices_ + dirty_slices_) * slice_bytes);
}

void slice_supply::set_huge_pages_from(std::size_t bytes, bool at_hand) noexcept {
  const holding growing(grow_lock_);
  huge_pages_from_ = bytes;
  huge_pages_at_hand_ = at_hand;
}

supply_usage slice_supply::usage() noexcept {
  const holding hold(lock_);
  return {regions_, regions_made_, used_slices_ * slice_bytes, dirty_slices_ * slice_bytes};
}

}  // namespace mallard::inline v1::detail
