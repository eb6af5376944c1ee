#include "mallard/detail/core/chunk_cache.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/core/annotate.hpp"
#include "mallard/detail/core/ring.hpp"

namespace mallard::inline v1::detail {
namespace {

// A giant chunk is reused for exactly its own size; this many are looked at.
constexpr int giants_considered = 8;

// Chunks with an alignment of their own are rare; they are mapped and unmapped directly.
std::size_t natural_alignment(std::size_t chunk_bytes) noexcept {
  return chunk_bytes >= os::huge_page_bytes ? os::huge_page_bytes : os::page_bytes;
}

}  // namespace

std::size_t chunk_cache::chunk_bytes(std::size_t bytes) noexcept {
  bytes = std::max(bytes, smallest_chunk_bytes);
  if (bytes > largest_binned_bytes) return round_up(bytes, os::page_bytes);
  return round_up(bytes, std::bit_floor(bytes - 1) / steps_per_doubling);
}

std::size_t chunk_cache::bin_of(std::size_t chunk_bytes, chunk_kind kind) noexcept {
  if (kind == chunk_kind::sparse) return sparse_bin;
  if (chunk_bytes > largest_binned_bytes) return giant_bin;
  const std::size_t base = std::bit_floor(chunk_bytes - 1);
  const auto doubling = static_cast<std::size_t>(std::bit_width(base)) - 18;  // 0 for 256 KiB
  return doubling * steps_per_doubling + (chunk_bytes - base) / (base / steps_per_doubling);
}

void* chunk_cache::allocate(std::size_t bytes, std::size_t alignment, chunk_kind kind) noexcept {
  const std::size_t size = chunk_bytes(bytes);
  if (size < bytes) return nullptr;
  const std::size_t natural = natural_alignment(size);
  if (alignment <= natural) {
    if (void* const p = take(bin_of(size, kind), size)) return p;
  }
  const bool huge = kind == chunk_kind::dense && size >= os::huge_page_bytes;
  void* p = os_.map(size, std::max(alignment, natural), huge);
  if (p == nullptr && shrink_to(0) != 0) p = os_.map(size, std::max(alignment, natural), huge);
  if (p == nullptr) return nullptr;
  begin_leak_scan(p, size);
  ++usage_.maps;
  usage_.mapped_bytes += size;
  return p;
}

void chunk_cache::deallocate(void* p, std::size_t bytes, std::size_t alignment,
                             chunk_kind kind) noexcept {
  const std::size_t size = chunk_bytes(bytes);
  if (alignment > natural_alignment(size) || size > limit_) return unmap(p, size);
  unpoison(p, sizeof(node));
  node* const n = ::new (p) node;
  n->bytes = size;
  n->bin = bin_of(size, kind);
  ring<node, &node::bin_next, &node::bin_prev>::insert_before(bins_[n->bin], n);
  bins_[n->bin] = n;
  ring<node, &node::newer, &node::older>::insert_before(by_age_, n);
  if (by_age_ == nullptr) by_age_ = n;
  usage_.cached_bytes += size;
  shrink_to(limit_);
  decay();
}

void* chunk_cache::take(std::size_t bin, std::size_t bytes) noexcept {
  node* n = bins_[bin];
  if (n == nullptr) return nullptr;
  for (int looked_at = 1; n->bytes != bytes; ++looked_at) {
    n = n->bin_next;
    if (n == bins_[bin] || looked_at == giants_considered) return nullptr;
  }
  unlink(n);
  low_water_ = std::min(low_water_, usage_.cached_bytes);
  return n;
}

void chunk_cache::unlink(node* n) noexcept {
  node* const next_in_bin = ring<node, &node::bin_next, &node::bin_prev>::remove(n);
  if (bins_[n->bin] == n) bins_[n->bin] = next_in_bin;
  node* const next_by_age = ring<node, &node::newer, &node::older>::remove(n);
  if (by_age_ == n) by_age_ = next_by_age;
  usage_.cached_bytes -= n->bytes;
}

std::size_t chunk_cache::shrink_to(std::size_t bytes) noexcept {
  std::size_t given_back = 0;
  while (usage_.cached_bytes > bytes) {
    node* const oldest = by_age_;
    const std::size_t size = oldest->bytes;
    unlink(oldest);
    unmap(oldest, size);
    given_back += size;
  }
  low_water_ = std::min(low_water_, usage_.cached_bytes);
  return given_back;
}

void chunk_cache::unmap(void* p, std::size_t bytes) noexcept {
  unpoison(p, bytes);
  end_leak_scan(p, bytes);
  os_.unmap(p, bytes);
  ++usage_.unmaps;
  usage_.mapped_bytes -= bytes;
}

void chunk_cache::set_limit(std::size_t bytes) noexcept {
  limit_ = bytes;
  shrink_to(bytes);
}

void chunk_cache::decay() noexcept {
  const unsigned long long now = os_.milliseconds();
  if (now - interval_start_ < decay_interval_ms) return;
  if (interval_start_ != 0) shrink_to(usage_.cached_bytes - low_water_ / 2);
  interval_start_ = now;
  low_water_ = usage_.cached_bytes;
}

}  // namespace mallard::inline v1::detail
