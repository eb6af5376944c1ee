#include "mallard/detail/pages/kept_mappings.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/ring.hpp"

namespace mallard::inline v1::detail {
namespace {

using bin_ring = ring<kept_mapping, &kept_mapping::bin_next, &kept_mapping::bin_prev>;
using age_ring = ring<kept_mapping, &kept_mapping::newer, &kept_mapping::older>;

}  // namespace

std::size_t kept_mappings::step_of(std::size_t bytes) noexcept {
  return round_up(bytes, std::bit_floor(bytes - 1) / steps_per_doubling);
}

// Of all that are larger than one step and no larger than the next.
std::size_t kept_mappings::bin_of(std::size_t bytes) noexcept {
  const std::size_t below = bytes - 1;
  const auto log2 = static_cast<std::size_t>(std::bit_width(below)) - 1;
  if (log2 < smallest_log2) return 0;
  if (log2 > largest_log2) return bin_count - 1;
  const std::size_t step = below >> (log2 - 3) & (steps_per_doubling - 1);
  return (log2 - smallest_log2) * steps_per_doubling + step;
}

// The first from there on with a mapping, else `bin_count`.
std::size_t kept_mappings::next_bin(std::size_t bin) const noexcept {
  for (std::size_t word = bin / 64; word < bin_words; ++word) {
    const std::uint64_t from =
        word == bin / 64 ? ~std::uint64_t{0} << (bin % 64) : ~std::uint64_t{0};
    const std::uint64_t found = has_some_[word] & from;
    if (found != 0) return word * 64 + static_cast<std::size_t>(std::countr_zero(found));
  }
  return bin_count;
}

void kept_mappings::remove(kept_mapping* m) noexcept {
  const std::size_t bin = bin_of(m->bytes);
  kept_mapping* const next_in_bin = bin_ring::remove(m);
  if (bins_[bin] == m) bins_[bin] = next_in_bin;
  if (bins_[bin] == nullptr) has_some_[bin / 64] &= ~(std::uint64_t{1} << (bin % 64));
  kept_mapping* const next_by_age = age_ring::remove(m);
  if (oldest_ == m) oldest_ = next_by_age;
  bytes_ -= m->bytes;
}

kept_mapping* kept_mappings::take(std::size_t least, std::size_t most) noexcept {
  const std::size_t last = bin_of(most);
  for (std::size_t bin = next_bin(bin_of(least)); bin <= last; bin = next_bin(bin + 1)) {
    kept_mapping* m = bins_[bin];
    for (int i = 0; i < looked_at; ++i) {
      if (m->bytes >= least && m->bytes <= most) {
        remove(m);
        idle_.reused_like_it(bytes_);
        return m;
      }
      m = m->bin_next;
      if (m == bins_[bin]) break;
    }
  }
  look_for_gone(least, most);
  return nullptr;
}

bool kept_mappings::keep(void* p, std::size_t bytes, std::size_t used) noexcept {
  may_stay_ = idle_.limit(used);
  if (bytes > may_stay_) {
    note_gone(bytes);
    return false;
  }
  unpoison(p, sizeof(kept_mapping));
  auto* const m = ::new (p) kept_mapping;
  m->bytes = bytes;
  const std::size_t bin = bin_of(bytes);
  bin_ring::insert_before(bins_[bin], m);
  bins_[bin] = m;
  has_some_[bin / 64] |= std::uint64_t{1} << (bin % 64);
  age_ring::insert_before(oldest_, m);
  if (oldest_ == nullptr) oldest_ = m;
  bytes_ += bytes;
  return true;
}

bool kept_mappings::set_idle_limit(std::size_t least, std::size_t most) noexcept {
  idle_.set(least, most);
  return bytes_ > (may_stay_ = idle_.limit(0));
}

kept_mapping* kept_mappings::next_to_go() noexcept {
  if (bytes_ <= may_stay_) return nullptr;
  kept_mapping* const m = oldest_;
  remove(m);
  note_gone(m->bytes);
  return m;
}

void kept_mappings::note_gone(std::size_t bytes) noexcept {
  gone_[next_gone_++ % gone_.size()] = bytes;
  idle_.gave_back(bytes);
}

// Of what was given back only a mapping that would have served is to be regretted.
void kept_mappings::look_for_gone(std::size_t least, std::size_t most) noexcept {
  for (std::size_t& gone : gone_) {
    if (gone < least || gone > most) continue;
    gone = 0;
    return idle_.took(least);
  }
}

}  // namespace mallard::inline v1::detail
