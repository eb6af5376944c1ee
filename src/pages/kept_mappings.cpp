#include "mallard/detail/pages/kept_mappings.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/os/futex.hpp"

namespace mallard::inline v1::detail {

std::size_t kept_mappings::step_of(std::size_t bytes) noexcept {
  return round_up(bytes, std::bit_floor(bytes - 1) / steps_per_doubling);
}

// The bin of all sizes larger than one step and no larger than the next.
std::size_t kept_mappings::bin_of(std::size_t bytes) noexcept {
  const std::size_t below = bytes - 1;
  const auto log2 = static_cast<std::size_t>(std::bit_width(below)) - 1;
  if (log2 < smallest_log2) return 0;
  if (log2 > largest_log2) return bin_count - 1;
  const std::size_t step = below >> (log2 - 3) & (steps_per_doubling - 1);
  return (log2 - smallest_log2) * steps_per_doubling + step;
}

bool kept_mappings::lock_soon() noexcept {
  for (int turn = 0; turn < 100; ++turn) {
    if (lock_.try_lock()) return true;
    os::pause();
  }
  return false;
}

// The first bin from there on that has a mapping, else `bin_count`.
std::size_t kept_mappings::next_bin(std::size_t bin) const noexcept {
  std::uint64_t from = ~std::uint64_t{0} << (bin % 64);
  for (std::size_t word = bin / 64; word < bin_words; ++word) {
    const std::uint64_t found = has_some_[word] & from;
    if (found != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(found));
    from = ~std::uint64_t{0};
  }
  return bin_count;
}

kept_mappings::mapping* kept_mappings::find(std::size_t least, std::size_t most) const noexcept {
  const std::size_t last = bin_of(most);
  for (std::size_t bin = next_bin(bin_of(least)); bin <= last; bin = next_bin(bin + 1)) {
    mapping* m = bins_[bin];
    for (int i = 0; i < looked_at; ++i) {
      if (m->bytes >= least && m->bytes <= most) return m;
      m = m->bin_next;
      if (m == bins_[bin]) break;
    }
  }
  return nullptr;
}

void kept_mappings::add(void* p, std::size_t bytes) noexcept {
  unpoison(p, sizeof(mapping));
  auto* const m = ::new (p) mapping;
  m->bytes = bytes;
  const std::size_t bin = bin_of(bytes);
  bin_ring::insert_before(bins_[bin], m);
  bins_[bin] = m;
  has_some_[bin / 64] |= std::uint64_t{1} << (bin % 64);
  age_ring::insert_before(oldest_, m);
  if (oldest_ == nullptr) oldest_ = m;
  ++count_;
  budget_.mappings.kept.store(this->bytes() + bytes, std::memory_order_relaxed);
}

void kept_mappings::remove(mapping* m) noexcept {
  const std::size_t bin = bin_of(m->bytes);
  mapping* const next_in_bin = bin_ring::remove(m);
  if (bins_[bin] == m) bins_[bin] = next_in_bin;
  if (bins_[bin] == nullptr) has_some_[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
  mapping* const next_by_age = age_ring::remove(m);
  if (oldest_ == m) oldest_ = next_by_age;
  --count_;
  budget_.mappings.kept.store(bytes() - m->bytes, std::memory_order_relaxed);
  idle_.fell_to(bytes());
}

void* kept_mappings::take(std::size_t least, std::size_t most) noexcept {
  if (!lock_soon()) return nullptr;
  mapping* const m = find(least, most);
  if (m != nullptr) remove(m);
  lock_.unlock();
  return m;
}

void kept_mappings::give(void* p, std::size_t bytes) noexcept {
  if (!lock_soon()) return unmap(p, bytes);
  std::size_t may = budget_.may_keep(this->bytes());
  // There may be far more, which was hardly touched. This one probably was, so it goes at once.
  const bool is_kept = bytes <= may && this->bytes() <= may;
  if (is_kept) add(p, bytes);
  if (count_ > most_mappings) may = smaller(may, this->bytes() - 1);
  lock_.unlock();
  if (!is_kept) unmap(p, bytes);
  shrink_to(may, bytes);
}

// Some mappings go at least, and no more once `enough` bytes have gone: who gives a mapping waits
// for as much as it gave.
std::size_t kept_mappings::shrink_to(std::size_t least, std::size_t enough) noexcept {
  constexpr unsigned some = 4;
  std::size_t gone = 0;
  for (unsigned i = 0; bytes() > least && (i < some || gone < enough) && lock_soon(); ++i) {
    mapping* const m = bytes() > least ? oldest_ : nullptr;
    const std::size_t size = m == nullptr ? 0 : m->bytes;
    if (m != nullptr) remove(m);
    lock_.unlock();
    if (m != nullptr) unmap(m, size);
    gone += size;
  }
  return gone;
}

void kept_mappings::unmap(void* p, std::size_t bytes) noexcept {
  page_client::unmapping(p, bytes);
  os::unmap(p, bytes);
  budget_.give(bytes);
  unmaps_.fetch_add(1, std::memory_order_relaxed);
}

void kept_mappings::decay() noexcept {
  if (bytes() == 0 || !lock_soon()) return;
  const std::size_t may_stay = idle_.rest_of(bytes());
  lock_.unlock();
  shrink_to(may_stay);
}

}  // namespace mallard::inline v1::detail
