#include "route/preload/block_codes.hpp"

#include <sys/mman.h>

#include "route/preload/map_zeros.hpp"

namespace mallard::route {

bool block_codes::make_room(const void* p, std::size_t bytes) noexcept {
  // The long form of a block that begins at the end of a leaf.
  constexpr std::size_t beyond = 64;
  constexpr std::size_t addresses = std::size_t{1} << leaf_shift;
  const auto first = reinterpret_cast<std::uintptr_t>(p) & ~(addresses - 1);
  for (std::uintptr_t at = first; at < reinterpret_cast<std::uintptr_t>(p) + bytes;
       at += addresses) {
    if (leaf_of(reinterpret_cast<const void*>(at)) != nullptr) continue;
    auto* const fresh = static_cast<std::uint8_t*>(map_zeros(codes_of_leaf + beyond));
    if (fresh == nullptr) return false;
    std::uint8_t* none = nullptr;
    const bool is_first =
        __atomic_compare_exchange_n(leaves_ + (at >> leaf_shift) % leaf_count, &none, fresh, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    if (!is_first) munmap(fresh, codes_of_leaf + beyond);
  }
  return true;
}

}  // namespace mallard::route
