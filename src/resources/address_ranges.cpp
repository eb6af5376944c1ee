#include "mallard/detail/resources/address_ranges.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::size_t kept_ranges = 16;
constexpr std::size_t kept_bytes = std::size_t{256} << 10;
constexpr std::size_t smallest_range_bytes = std::size_t{4} << 20;

constinit std::array<std::atomic<std::byte*>, kept_ranges> kept{};
constinit std::atomic<std::size_t> taken{0};

bool are_many() noexcept {
  return taken.load(std::memory_order_relaxed) >= ranges_for_blocks;
}

address_range map_range(std::size_t bytes) noexcept {
  auto* const begin = static_cast<std::byte*>(os::map(bytes, os::page_bytes, false));
  if (begin == nullptr) return {};
  begin_leak_scan(begin, bytes);
  constexpr std::size_t at_end = os::huge_page_bytes;
  // Of many, each is one mapping, which may be one with its neighbours'.
  if (bytes > small_pages_bytes + at_end && !are_many()) {
    os::prefer_huge_pages(begin + small_pages_bytes, bytes - small_pages_bytes - at_end);
  }
  return {begin, bytes};
}

void unmap_range(const address_range& range) noexcept {
  end_leak_scan(range.begin, range.bytes);
  os::unmap(range.begin, range.bytes);
}

address_range find_or_map(std::size_t bytes) noexcept {
  if (bytes <= standard_range_bytes) {
    for (auto& place : kept) {
      if (place.load(std::memory_order_relaxed) == nullptr) continue;
      if (std::byte* const begin = place.exchange(nullptr, std::memory_order_acquire)) {
        unpoison(begin, standard_range_bytes);
        return {begin, standard_range_bytes};
      }
    }
  }
  // Where addresses are limited, a smaller one has to do.
  const std::size_t least = round_up(std::max(bytes, smallest_range_bytes), os::huge_page_bytes);
  std::size_t wanted = std::max(least, standard_range_bytes);
  if (least > standard_range_bytes / 2) wanted = std::max(wanted, least * 2);
  for (;; wanted = std::max(least, wanted / 8)) {
    const address_range range = map_range(wanted);
    if (range.begin != nullptr || wanted == least) return range;
  }
}

}  // namespace

address_range take_range(std::size_t bytes, range_use use) noexcept {
  if (bytes > ~std::size_t{0} / 4) return {};
  if (use == range_use::block && are_many()) return {};
  const address_range range = find_or_map(bytes);
  if (range.begin != nullptr) taken.fetch_add(1, std::memory_order_relaxed);
  return range;
}

void drop_kept_ranges() noexcept {
  for (auto& place : kept) {
    std::byte* const begin = place.exchange(nullptr, std::memory_order_acquire);
    if (begin == nullptr) continue;
    unpoison(begin, standard_range_bytes);
    unmap_range({begin, standard_range_bytes});
  }
}

void give_range(address_range range, std::size_t in_use_bytes) noexcept {
  taken.fetch_sub(1, std::memory_order_relaxed);
  if (range.bytes == standard_range_bytes) {
    for (auto& place : kept) {
      if (place.load(std::memory_order_relaxed) != nullptr) continue;
      if (in_use_bytes > kept_bytes) {
        os::purge(range.begin + kept_bytes, round_up(in_use_bytes, os::page_bytes) - kept_bytes);
      }
      poison(range.begin, range.bytes);
      std::byte* nothing = nullptr;
      if (place.compare_exchange_strong(nothing, range.begin, std::memory_order_release,
                                        std::memory_order_relaxed)) {
        return;
      }
      unpoison(range.begin, range.bytes);
    }
  }
  unmap_range(range);
}

void drop_range(address_range range) noexcept {
  taken.fetch_sub(1, std::memory_order_relaxed);
  unmap_range(range);
}

}  // namespace mallard::inline v1::detail
