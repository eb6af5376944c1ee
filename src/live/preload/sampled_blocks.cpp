#include "live/preload/sampled_blocks.hpp"

#include <sys/mman.h>

namespace mallard::live {

bool sampled_blocks::open() noexcept {
  void* const memory =
      mmap(nullptr, (in_place << bits) * sizeof(sampled_block), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  blocks_ = static_cast<sampled_block*>(memory);
  return true;
}

bool sampled_blocks::add(const sampled_block& one) noexcept {
  const std::size_t place = place_of(one.address);
  sampled_block* const first = blocks_ + place * in_place;
  for (std::size_t i = 0; i < in_place; ++i) {
    if (first[i].address != 0) continue;
    first[i] = one;
    filled_[place / 64].fetch_or(std::uint64_t{1} << (place % 64), std::memory_order_relaxed);
    return true;
  }
  return false;
}

sampled_block sampled_blocks::take(const void* block) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(block);
  const std::size_t place = place_of(address);
  sampled_block* const first = blocks_ + place * in_place;
  sampled_block taken{};
  bool any_left = false;
  for (std::size_t i = 0; i < in_place; ++i) {
    if (first[i].address == address) {
      taken = first[i];
      first[i] = {};
    }
    any_left = any_left || first[i].address != 0;
  }
  if (!any_left) {
    filled_[place / 64].fetch_and(~(std::uint64_t{1} << (place % 64)), std::memory_order_relaxed);
  }
  return taken;
}

}  // namespace mallard::live
