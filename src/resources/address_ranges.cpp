#include "mallard/detail/resources/address_ranges.hpp"

#include <algorithm>
#include <atomic>

#include "mallard/detail/bits.hpp"
#include "mallard/detail/os/pages.hpp"
#include "mallard/detail/pages/kept_mappings.hpp"

namespace mallard::inline v1::detail {
namespace {

constexpr std::size_t kept_ranges = 16;
constexpr std::size_t kept_bytes = std::size_t{256} << 10;
constexpr std::size_t smallest_range_bytes = std::size_t{4} << 20;

constinit memory_budget budget{kept_ranges * standard_range_bytes};
// Never destroyed: static objects may give ranges back later.
union kept_holder {
  kept_mappings value;
  constexpr kept_holder() noexcept : value(budget) {}
  ~kept_holder() {}
};
constinit kept_holder kept;
constinit std::atomic<std::size_t> taken_ranges{0};

bool are_many() noexcept {
  return taken_ranges.load(std::memory_order_relaxed) >= ranges_for_blocks;
}

address_range map_range(std::size_t bytes) noexcept {
  auto* const begin = static_cast<std::byte*>(os::map(bytes, os::page_bytes, false));
  if (begin == nullptr) return {};
  begin_leak_scan(begin, bytes);
  constexpr std::size_t at_end = os::huge_page_bytes;
  // With many ranges, each is one mapping, which may merge with its neighbours'.
  if (bytes > small_pages_bytes + at_end && !are_many()) {
    os::prefer_huge_pages(begin + small_pages_bytes, bytes - small_pages_bytes - at_end);
  }
  return {begin, bytes};
}

address_range find_or_map(std::size_t bytes) noexcept {
  if (bytes <= standard_range_bytes) {
    if (void* const p = kept.value.take(standard_range_bytes, standard_range_bytes)) {
      unpoison(p, standard_range_bytes);
      return {static_cast<std::byte*>(p), standard_range_bytes};
    }
  }
  // If addresses are limited, a smaller one has to do.
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
  if (range.begin != nullptr) taken_ranges.fetch_add(1, std::memory_order_relaxed);
  return range;
}

void drop_kept_ranges() noexcept {
  kept.value.trim();
}

void give_range(address_range range, std::size_t in_use_bytes) noexcept {
  if (range.bytes != standard_range_bytes) return drop_range(range);
  taken_ranges.fetch_sub(1, std::memory_order_relaxed);
  if (in_use_bytes > kept_bytes) {
    const std::size_t touched =
        std::min(range.bytes, to_end_of_huge_page(range.begin, in_use_bytes));
    os::purge(range.begin + kept_bytes, touched - kept_bytes);
  }
  poison(range.begin, range.bytes);
  kept.value.give(range.begin, range.bytes);
}

void drop_range(address_range range) noexcept {
  taken_ranges.fetch_sub(1, std::memory_order_relaxed);
  kept.value.unmap(range.begin, range.bytes);
}

}  // namespace mallard::inline v1::detail
